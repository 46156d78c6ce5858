"""The tables of a store of runs, as a list of migrations that is only ever appended to.

The SQL is what SQLite and Postgres have in common: `TEXT`, `BIGINT`, `DOUBLE PRECISION`, `ON CONFLICT`, `RETURNING`,
parameters written `:name`. Money is whole nano-units. What holds JSON is text: nothing in a store is ever executed or
unpickled.
"""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        # One row a run, small: a list of ten thousand reads nothing else.
        """CREATE TABLE runs (
            id TEXT PRIMARY KEY, name TEXT NOT NULL, question TEXT NOT NULL, agents TEXT NOT NULL,
            status TEXT NOT NULL, created TEXT NOT NULL, ended TEXT, parent TEXT, currency TEXT NOT NULL,
            budget BIGINT NOT NULL, spent BIGINT NOT NULL, held BIGINT NOT NULL,
            fence BIGINT NOT NULL, owner TEXT NOT NULL, lease DOUBLE PRECISION NOT NULL)""",
        "CREATE INDEX runs_by_time ON runs (created)",
        # What a run was begun with, and what it came to.
        "CREATE TABLE setups (run TEXT PRIMARY KEY, data TEXT NOT NULL)",
        "CREATE TABLE records (run TEXT PRIMARY KEY, data TEXT NOT NULL)",
        # The journal: a row a try. state: open, done, refused. n: its ledger entry; of a refusal, how many there were.
        """CREATE TABLE calls (
            run TEXT NOT NULL, task TEXT NOT NULL, attempt BIGINT NOT NULL, step TEXT NOT NULL, try BIGINT NOT NULL,
            hash TEXT NOT NULL, state TEXT NOT NULL, hold BIGINT NOT NULL, n BIGINT, outcome TEXT,
            retryable BIGINT NOT NULL, about TEXT, value TEXT, opened DOUBLE PRECISION NOT NULL,
            PRIMARY KEY (run, task, attempt, step, try))""",
        """CREATE TABLE ledger (
            run TEXT NOT NULL, n BIGINT NOT NULL, nano BIGINT NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (run, n))""",
        # Transitions of claims and sources, in order; `text` on the line that books a claim.
        """CREATE TABLE books (
            run TEXT NOT NULL, book TEXT NOT NULL, n BIGINT NOT NULL, id TEXT NOT NULL, state TEXT NOT NULL,
            reason TEXT NOT NULL, root TEXT, text TEXT, PRIMARY KEY (run, book, n))""",
        """CREATE TABLE events (
            run TEXT NOT NULL, n BIGINT NOT NULL, kind TEXT NOT NULL, at TEXT NOT NULL, task TEXT NOT NULL,
            role TEXT NOT NULL, data TEXT NOT NULL, PRIMARY KEY (run, n))""",
        # What was read: a text once, however many runs read it.
        "CREATE TABLE texts (hash TEXT PRIMARY KEY, data TEXT NOT NULL)",
        """CREATE TABLE sources (
            run TEXT NOT NULL, number BIGINT NOT NULL, hash TEXT, data TEXT NOT NULL, PRIMARY KEY (run, number))""",
        "CREATE INDEX sources_by_hash ON sources (hash)",
        # What came from outside and has its place in the order of a run: a stop, a higher limit.
        """CREATE TABLE marks (
            run TEXT NOT NULL, n BIGINT NOT NULL, at BIGINT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL,
            PRIMARY KEY (run, n))""",
        # What a call really cost, told by a process that had lost the run by then.
        """CREATE TABLE late_bills (
            run TEXT NOT NULL, task TEXT NOT NULL, attempt BIGINT NOT NULL, step TEXT NOT NULL, try BIGINT NOT NULL,
            nano BIGINT NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (run, task, attempt, step, try))""",
    ),
)

TABLES_OF_A_RUN = ("setups", "records", "calls", "ledger", "books", "events", "sources", "marks", "late_bills")
"""Tables whose rows belong to one run, by their column `run`."""
