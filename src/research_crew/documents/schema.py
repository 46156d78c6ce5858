"""The tables of the document index (SQLite with FTS5)."""

APPLICATION = 0x52437265
"""SQLite's `application_id`: says that a database is an index of this program ("RCre")."""
VERSION = 2
SCHEMA = """
create table meta (name text primary key, value text not null);
create table document (
    id integer primary key, path text not null unique, state text not null, reason text not null, kind text not null,
    title text not null, published text, author text, language text, pages integer not null,
    characters integer not null, size integer not null, modified_ns integer not null, hash text not null
);
create table page (
    document integer not null references document (id) on delete cascade, number integer not null, text text not null,
    primary key (document, number)
) without rowid;
create table passage (
    id integer primary key, document integer not null references document (id) on delete cascade,
    page integer not null, start integer not null, "end" integer not null, heading text not null,
    words integer not null, title_words integer not null
);
create index passage_of on passage (document);
create virtual table term using fts5 (title, heading, body, tokenize = "unicode61 remove_diacritics 0");
create virtual table term_count using fts5vocab (term, row);
"""
"""`page.number` is 0 for a file without pages. `term` holds folded search terms parted by blanks; its row ids are those
of `passage`. `words` are counted in terms. `meta` holds `generation`, which every change counts up, and `terms`, see `words.fingerprint`."""
