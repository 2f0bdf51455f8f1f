// Before any schema is made: they are checked without code made of text, which the page's policy forbids. Zod's `config`
// would set the same, but bring all of Zod to a page that may never need it.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
