/** True for a browser: it accepts HTML and no JSON. A client that also accepts JSON is a machine. */
export function wantsPage(headers: Headers): boolean {
  const accept = headers.get("accept")
  return accept !== null && /\btext\/html\b/i.test(accept) && !/\bjson\b/i.test(accept)
}
