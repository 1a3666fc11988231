"""The front end: a model's source to the typed IR, with all errors at once.

`module.lower_model` lowers the entry and what it calls (`signatures` reads hints, `checks` and
`base_case` check the whole module), `function` one function. A function's syntax is lowered by
the handlers in `constructs`, which `registry` finds by the kind of node, callee or value, and which
share a `context.FunctionContext`. What several constructs need is in modules beside these: `blocks`
and `carried` (what names stand for after branches and loops), `emit`, `sizes`, `targets`,
`conditions`, `narrowing`. Some uses of collections are first rewritten in the syntax tree to forms
that the language has: `default_dicts`, `own_collections`, `constructs/out_parameters`.
"""
