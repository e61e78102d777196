/**
 * True for the value of a header that may have come twice: the socket joins the values with a comma. Call it for a header whose one value has
 * no comma of its own outside quotes. It names the fault; the value is refused whatever it returns, because it is no value of the header.
 */
export function isSentTwice(value: string): boolean {
  return value.replace(/"(?:[^"\\]|\\.)*"/g, "").includes(",")
}
