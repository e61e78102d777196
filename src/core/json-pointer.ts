/** RFC 6901: a JSON pointer to a member, as one step below the pointer of its object: `a/b` gives `/a~1b`. */
export function pointerStep(name: string): string {
  return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`
}
