/** The database has a migration that this binary does not know, lacks an earlier one, or has another text of one. */
export class SchemaMismatch extends Error {}
