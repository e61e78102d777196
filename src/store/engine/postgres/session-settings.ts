/**
 * If the machine of a session is cut off, the server ends the session within 15 seconds, and its locks with it: an idle one by the first three, and one
 * whose last answer did not arrive by the fourth. Over a socket of the same machine they do nothing, and the server shows other values.
 */
export const ENDED_IF_CUT_OFF: Readonly<Record<string, string>> = {
  tcp_keepalives_idle: "5",
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "5",
  tcp_user_timeout: "15000",
}

/** The statement that makes these settings for the session. It has no parameters, so that it can travel without being prepared. */
export function settingsOf(settings: Readonly<Record<string, string>>): string {
  const calls = Object.entries(settings).map(([name, value]) => `set_config(${quoted(name)}, ${quoted(value)}, false)`)
  return `select ${calls.join(", ")}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
