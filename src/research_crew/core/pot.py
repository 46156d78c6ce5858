"""Money set aside: the ending of a run is paid for before its middle begins."""


class Pot:
    """Money of the run set aside under a name; what is left of it can be spent only in that name."""

    __slots__ = ("closed", "held", "left", "name")

    def __init__(self, name: str, amount: int) -> None:
        self.name, self.left, self.closed = name, amount, False
        self.held = 0
        """What calls on their way hold of it; their change comes back here."""
