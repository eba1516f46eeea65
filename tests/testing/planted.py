"""Recipes with one flaw each, and the check that must catch it. `Planted()` without a flaw is honest."""

# A recipe has a fixed signature, and a flawed one ignores parts of it.
# ruff: noqa: ARG001, ARG002, ARG005

from __future__ import annotations

import secrets
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar, Self, final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from understudy import check
from understudy.model.recipe import Recipe
from understudy.model.sampler import Sampler
from understudy.privacy import Certificate

PLANTS = {
    "the_schema_is_kept": "drops_a_column",
    "the_row_count_is_exact": "one_row_more",
    "a_row_count_that_is_no_whole_number_is_refused": "takes_any_row_count",
    "numbers_stay_inside_their_bounds": "leaves_the_bounds",
    "levels_are_those_of_the_schema": "shouts",
    "a_column_to_ignore_is_left_out": "keeps_what_is_ignored",
    "the_model_remembers_its_settings": "forgets_its_settings",
    "the_same_seed_gives_the_same_rows": "samples_by_entropy",
    "another_seed_gives_other_rows": "ignores_the_seed",
    "two_fits_with_one_seed_give_the_same_rows": "fits_by_entropy",
    "the_global_random_state_is_untouched": "draws_from_the_world",
    "a_seed_that_is_no_whole_number_is_refused": "takes_any_seed",
    "pandas_frames_keep_their_dtypes": "gives_arrow",
    "pandas_frames_with_nullable_dtypes_keep_them": "gives_objects",
    "pandas_frames_on_arrow_keep_their_dtypes": "gives_objects",
    "polars_frames_keep_their_types": "gives_arrow",
    "arrow_tables_keep_their_types": "widens_integers",
    "duckdb_relations_keep_their_types": "gives_arrow",
    "tables_and_paths_give_tables": "gives_arrow",
    "the_input_is_untouched": "changes_the_input",
    "ids_are_unique": "repeats_ids",
    "ids_are_never_copied": "copies_ids",
    "ids_look_like_ids": "shouts",
    "missing_rates_are_kept": "fills_the_holes",
    "columns_without_missing_values_stay_without": "punches_holes",
    "hostile_names_survive": "strips_names",
    "hostile_levels_survive": "shouts",
    "a_saved_model_gives_the_same_rows": "saves_another_model",
    "a_saved_model_keeps_hostile_names": "saves_another_model",
    "a_saved_model_holds_no_code": "saves_a_pickle",
    "conditions_on_levels_hold": "ignores_where",
    "conditions_on_numbers_hold": "ignores_where",
    "conditions_on_times_hold": "ignores_where",
    "conditions_on_missing_values_hold": "ignores_where",
    "conditions_hold_together": "obeys_the_first_condition",
    "a_condition_that_cannot_be_met_ends_in_an_error": "ignores_where",
    "unknown_columns_and_levels_are_refused": "ignores_where",
    "a_condition_leaves_the_other_columns_alone": "repeats_a_match",
    "rules_hold_in_every_row": "forgets_the_rules",
    "rules_hold_under_conditions": "forgets_the_rules",
    "rules_that_exclude_each_other_end_in_an_error": "forgets_the_rules",
    "the_certificate_is_the_ledger": "hides_an_entry",
    "rows_that_are_read_are_in_the_ledger": "reads_around_the_vault",
    "a_certificate_with_an_infinite_entry_is_not_sound": "claims_soundness",
    "the_certificate_survives_json": "writes_another_certificate",
    "a_budget_is_refused_without_a_private_form": "takes_any_budget",
    "a_budget_that_is_none_is_refused": "takes_any_budget",
}
FLAWS = sorted({*PLANTS.values(), "falls_over", "honest"})


@final
@dataclass(frozen=True)
class Bootstrap(Sampler):
    """Rows drawn again, with replacement."""

    columns: dict[str, Any]
    conditional: ClassVar[bool] = False

    def draw(self, rows, rng, conditions) -> dict[str, Any]:
        if not self.columns:
            return {}
        chosen = rng.integers(len(next(iter(self.columns.values()))), size=rows)
        return {name: values[chosen] for name, values in self.columns.items()}

    def state(self):
        return {f"{i}": values for i, values in enumerate(self.columns.values())}, {
            "names": list(self.columns)
        }

    @classmethod
    def restore(cls, tensors, facts) -> Self:
        return cls({name: tensors[f"{i}"] for i, name in enumerate(facts["names"])})


class Flawed:
    """A model that does one thing wrong and everything else as the real one does."""

    def __init__(self, flaw: str, model: Any, real: Any) -> None:
        self.flaw, self.model, self.real = flaw, model, real

    def __getattr__(self, name: str) -> Any:
        if name == "settings" and self.flaw == "forgets_its_settings":
            return {}
        found = getattr(self.model, name)
        return CERTIFICATES.get(self.flaw, lambda same: same)(found) if name == "certificate" else found

    def save(self, path):
        if self.flaw == "saves_another_model":
            few = self.real.slice(0, 35)
            return Planted().fit(few, schema=self.model.schema, seed=1, progress=False).save(path)
        folder = self.model.save(path)
        if self.flaw == "saves_a_pickle":
            (folder / "model.pkl").write_bytes(b"\x80\x04.")
        return folder

    def sample(self, rows, seed=0, where=None):
        rows, seed, where = CALLS.get(self.flaw, lambda *same: same)(rows, seed, where)
        if self.flaw == "repeats_a_match" and where:
            return pa.concat_tables([self.model.sample(1, seed, where)] * rows)
        if self.flaw == "gives_arrow":
            return self.model.sample_table(rows, seed, where).to_arrow()
        fake = self.model.sample(rows, seed, where)
        return SPOILED.get(self.flaw, lambda same, real: same)(fake, self.real)


@final
@dataclass(frozen=True)
class Planted(Recipe):
    """Rows drawn again, with replacement: honest but for one flaw."""

    flaw: str = check.choice("honest", *FLAWS)
    sampler: ClassVar[type[Sampler]] = Bootstrap

    def learn(self, vault, schema, rng, progress):
        if self.flaw == "falls_over":
            raise KeyError("a column")
        if self.flaw == "draws_from_the_world":
            np.random.random()  # noqa: NPY002
        if self.flaw == "reads_around_the_vault":
            return Bootstrap(vault._columns)
        columns = vault.open("all rows")
        order = np.random.default_rng() if self.flaw == "fits_by_entropy" else rng
        rows = len(next(iter(columns.values()))) if columns else 0
        kept = order.integers(rows, size=rows)
        return Bootstrap({name: values[kept] for name, values in columns.items()})

    def fit(self, table, schema=None, budget=None, seed=0, progress=True):
        budget = None if self.flaw == "takes_any_budget" else budget
        seed = 0 if self.flaw == "takes_any_seed" else seed
        if self.flaw == "forgets_the_rules" and schema is not None:
            schema = schema.model_copy(update={"rules": ()})
        model = Recipe.fit(self, table, schema, budget, seed, progress)
        if self.flaw == "changes_the_input" and not isinstance(table, pa.Table):
            table.loc[0, "age"] = 44
        return model if self.flaw == "honest" else Flawed(self.flaw, model, table)


@dataclass
class Thawed(Recipe):
    """A recipe whose settings can be changed after it was made."""

    knots: int = check.integer(3, low=1, high=9)
    sampler: ClassVar[type[Sampler]] = Bootstrap

    def learn(self, vault, schema, rng, progress):
        return Bootstrap(vault.open("all rows"))


@final
@dataclass(frozen=True)
class Loose(Recipe):
    """A recipe that never looks at its ranges."""

    knots: int = check.integer(3, low=1, high=9)
    share: float = check.number(0.5, low=0.0, high=1.0)
    style: str = check.choice("a", "a", "b")
    fast: bool = check.flag(True)
    sampler: ClassVar[type[Sampler]] = Bootstrap

    def __post_init__(self) -> None:
        return

    def learn(self, vault, schema, rng, progress):
        return Bootstrap(vault.open("all rows"))


def caught(check_function, recipe) -> str:
    """Return what the check says about the recipe, or nothing if it sees no fault."""
    try:
        check_function(recipe)
    except AssertionError as error:
        return str(error)
    return ""


CERTIFICATES = {
    "hides_an_entry": lambda real: Certificate(real.entries[:1], real.assumptions),
    "claims_soundness": lambda real: SimpleNamespace(
        entries=real.entries, sound=True, status="sound", epsilon=lambda delta: 0.0
    ),
    "writes_another_certificate": lambda real: SimpleNamespace(to_json=Certificate(()).to_json),
}

CALLS = {
    "one_row_more": lambda rows, seed, where: (rows + 1, seed, where),
    "takes_any_row_count": lambda rows, seed, where: (7, seed, where),
    "samples_by_entropy": lambda rows, seed, where: (rows, secrets.randbelow(2**60), where),
    "ignores_the_seed": lambda rows, seed, where: (rows, 0, where),
    "takes_any_seed": lambda rows, seed, where: (rows, 0, where),
    "ignores_where": lambda rows, seed, where: (rows, seed, None),
    "obeys_the_first_condition": lambda rows, seed, where: (
        rows,
        seed,
        dict(list((where or {}).items())[:1]),
    ),
}


def _replaced(fake: pa.Table, name: str, cells: Any) -> pa.Table:
    place = fake.schema.names.index(name)
    return fake.set_column(place, fake.schema.field(name), pa.array(cells, fake.schema.field(name).type))


def _leave_the_bounds(fake, real):
    return _replaced(fake, "age", [value + 1000 for value in fake.column("age").to_pylist()])


def _shout(fake, real):
    for name in fake.schema.names:
        if fake.schema.field(name).type == pa.string():
            shouted = [None if v is None else v.upper() + "!" for v in fake.column(name).to_pylist()]
            fake = _replaced(fake, name, shouted)
    return fake


def _keep_what_is_ignored(fake, real):
    names = [name for name in real.schema.names if name not in fake.schema.names]
    for name in names:
        fake = fake.append_column(
            real.schema.field(name), pa.nulls(fake.num_rows, real.schema.field(name).type)
        )
    return fake.select(real.schema.names)


def _widen_integers(fake, real):
    types = [pa.int64() if pa.types.is_integer(field.type) else field.type for field in fake.schema]
    return fake.cast(pa.schema(list(zip(fake.schema.names, types, strict=True))))


def _copy_ids(fake, real):
    return _replaced(fake, "code", real.column("code").to_pylist()[: fake.num_rows])


def _fill_the_holes(fake, real):
    for name in fake.schema.names:
        column = fake.column(name)
        fake = _replaced(fake, name, pc.fill_null(column, pc.drop_null(column)[0]).to_pylist())
    return fake


def _punch_holes(fake, real):
    for name in fake.schema.names:
        fake = _replaced(fake, name, [None, *fake.column(name).to_pylist()[1:]])
    return fake


SPOILED = {
    "drops_a_column": lambda fake, real: fake.drop_columns(fake.schema.names[-1:]),
    "leaves_the_bounds": _leave_the_bounds,
    "shouts": _shout,
    "keeps_what_is_ignored": _keep_what_is_ignored,
    "gives_objects": lambda fake, real: fake.astype(object),
    "widens_integers": _widen_integers,
    "repeats_ids": lambda fake, real: _replaced(
        fake, "code", fake.column("code").to_pylist()[:1] * len(fake)
    ),
    "copies_ids": _copy_ids,
    "fills_the_holes": _fill_the_holes,
    "punches_holes": _punch_holes,
    "strips_names": lambda fake, real: fake.rename_columns([name.strip() for name in fake.schema.names]),
}

__all__ = ["FLAWS", "PLANTS", "Bootstrap", "Loose", "Planted", "Thawed", "caught"]
