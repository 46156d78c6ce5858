"""The vendors that are known by name: where they are, which variable holds their key, and their pair of models.

A table for people (`research-crew models`, the defaults of `settings`), not a limit: any endpoint that speaks the
OpenAI protocol works as `compatible:MODEL` with a base URL, and strangers' back ends enter by `names.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from research_crew.models.protocol import Rung

Speaks = Literal["openai", "anthropic", "google", "swarms"]


@dataclass(frozen=True, slots=True)
class Vendor:
    """One vendor, or one local server."""

    name: str
    title: str
    speaks: Speaks
    base_url: str
    """Empty: has to be given."""
    key_variable: str = ""
    """Environment variable of its key; `settings.py` reads it."""
    lead: str = ""
    """Its default lead, with the vendor's name for it; empty for local servers, which serve what they serve."""
    worker: str = ""
    rung: Rung | None = None
    """How its models take a JSON schema; None when that depends on the model and has to be tried."""
    local: bool = False
    """Runs on one's own machine: no key, no price."""
    prices: str = ""
    """Its id in genai-prices; empty when its models are priced by their own names."""
    names_cost: bool = False
    """Its replies name their cost."""


_TABLE = (
    Vendor(
        "swarms", "Swarms API", "swarms", "https://api.swarms.world", "SWARMS_API_KEY",
        "gpt-5.5", "gpt-5.4-mini", "text",
    ),
    Vendor(
        "openai", "OpenAI", "openai", "https://api.openai.com/v1", "OPENAI_API_KEY",
        "gpt-5.5", "gpt-5.4-mini", "native", prices="openai",
    ),
    Vendor(
        "anthropic", "Anthropic", "anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY",
        "claude-sonnet-5-5", "claude-haiku-4-5", prices="anthropic",
    ),
    Vendor(
        "google", "Google Gemini", "google", "https://generativelanguage.googleapis.com", "GEMINI_API_KEY",
        "gemini-3.1-pro-preview", "gemini-3-flash-preview", "native", prices="google",
    ),
    Vendor(
        "openrouter", "OpenRouter", "openai", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY",
        "openai/gpt-5.5", "openai/gpt-5.4-mini", prices="openrouter", names_cost=True,
    ),
    Vendor(
        "deepseek", "DeepSeek", "openai", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY",
        "deepseek-chat", "deepseek-chat", "text", prices="deepseek",
    ),
    Vendor("vllm", "vLLM", "openai", "http://127.0.0.1:8000/v1", local=True),
    Vendor("lmstudio", "LM Studio", "openai", "http://127.0.0.1:1234/v1", local=True),
    Vendor("ollama", "Ollama", "openai", "http://127.0.0.1:11434/v1", local=True),
    Vendor("llamacpp", "llama.cpp", "openai", "http://127.0.0.1:8080/v1", local=True),
    Vendor("compatible", "any OpenAI-compatible endpoint", "openai", ""),
)  # fmt: skip
VENDORS: Mapping[str, Vendor] = {vendor.name: vendor for vendor in _TABLE}
"""By name, in the order in which defaults are chosen when several keys are found."""
ALIASES: Mapping[str, str] = {
    "gemini": "google", "claude": "anthropic", "llama.cpp": "llamacpp", "llama-cpp": "llamacpp",
    "lm-studio": "lmstudio", "open-router": "openrouter", "gpt": "openai",
}  # fmt: skip
"""Other words people use for a vendor."""
