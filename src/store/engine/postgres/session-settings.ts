/** The statement that makes these settings for the session. It has no parameters, so that it can travel without being prepared. */
export function settingsOf(settings: Readonly<Record<string, string>>): string {
  const calls = Object.entries(settings).map(([name, value]) => `set_config(${quoted(name)}, ${quoted(value)}, false)`)
  return `select ${calls.join(", ")}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
