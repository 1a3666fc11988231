"""The tables of models with objects and lists of the author's own."""

from __future__ import annotations

from tests.programs import (
    moved_list_models,
    numbered_loop_models,
    numbered_object_models,
    numbered_search_models,
    numbered_table_models,
    numbered_value_models,
    post_init_models,
    unnamed_object_models,
    visitor_models,
)

MODELS = (
    *moved_list_models.MODELS,
    *numbered_loop_models.MODELS,
    *numbered_object_models.MODELS,
    *numbered_search_models.MODELS,
    *numbered_table_models.MODELS,
    *numbered_value_models.MODELS,
    *post_init_models.MODELS,
    *unnamed_object_models.MODELS,
    *visitor_models.MODELS,
)
