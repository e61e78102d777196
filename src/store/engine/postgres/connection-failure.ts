import { type Host, hostText, type PostgresTarget } from "./postgres-target.ts"

type Login = Pick<PostgresTarget, "database" | "user">

/** SQLSTATE of the server: postgresql.org/docs/current/errcodes-appendix.html. */
const REASONS: Readonly<Record<string, (login: Login) => string>> = {
  "28P01": ({ database, user }) => `refused the password of user ${user} for database ${database}`,
  "28000": ({ database, user }) => `does not let user ${user} into database ${database}`,
  "3D000": ({ database, user }) => `has no database ${database}, which user ${user} asked for`,
  "42501": ({ database, user }) => `does not let user ${user} into database ${database}`,
  "53300": ({ database, user }) => `has no connection left for user ${user} of database ${database}`,
  "57P03": ({ database, user }) =>
    `does not accept user ${user} into database ${database} now: it starts, stops or recovers`,
}

/**
 * Says why no connection was made. `error` is what the driver threw. Neither its text nor the connection string is in the result: the string is
 * a secret.
 */
export function connectionFailure(error: unknown, host: Host, login: Login): Error {
  const { database, user } = login
  const [code, state] = [textOf(error, "code"), textOf(error, "errno")]
  const why =
    REASONS[state]?.(login) ??
    `cannot be reached as user ${user} for database ${database} (${state || code || "no code"})`
  return new Error(`PostgreSQL at ${hostText(host)} ${why}`)
}

/** Only what has the form of a code: any other text may have what it should not. */
function textOf(error: unknown, name: "code" | "errno"): string {
  const value = error instanceof Error && name in error ? (error as Partial<Record<typeof name, unknown>>)[name] : ""
  return typeof value === "string" && /^[0-9A-Z_]{1,60}$/.test(value) ? value : ""
}
