// Templates of paths as the router writes them: `:name` is one segment of any text, `*` is the rest.

/** Compares segment by segment. `:name` matches any non-empty segment, `*` the rest. */
export function matchesPath(template: string, path: string): boolean {
  const wanted = template.split("/")
  const given = path.split("/")
  for (const [i, segment] of wanted.entries()) {
    if (segment === "*") return given.length > i
    const actual = given[i]
    if (actual === undefined || (isParameter(segment) ? actual === "" : segment !== actual)) return false
  }
  return wanted.length === given.length
}

/**
 * The templates of a path: all that are equal but for the names of their parameters. A literal segment wins over a parameter, whatever
 * methods it has, so that no method reads a literal segment as an id. Empty if none matches.
 */
export function templatesOf(path: string, templates: readonly string[]): readonly string[] {
  const matching = templates.filter((template) => matchesPath(template, path))
  const [best] = matching.toSorted(byLiterals)
  return best === undefined ? [] : matching.filter((template) => byLiterals(template, best) === 0)
}

/** The more literal templates of `others` that have a path in common with `template`. All begin with its text before the first parameter. */
export function yieldsTo(template: string, others: readonly string[]): readonly string[] {
  const [start = ""] = template.split(/[:*]/, 1)
  return others.filter(
    (other) => other.startsWith(start) && byLiterals(other, template) < 0 && overlap(other, template),
  )
}

const isParameter = (segment: string | undefined) => segment?.startsWith(":") === true

const rank = (segment: string | undefined) => (segment === "*" ? 2 : isParameter(segment) ? 1 : 0)

/** Below zero if the first segment that differs is more literal in `a`. Only for templates that one path matches. */
function byLiterals(a: string, b: string): number {
  const left = a.split("/")
  const right = b.split("/")
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = rank(left[i]) - rank(right[i])
    if (difference !== 0) return difference
  }
  return 0
}

/** Whether one path can match both. */
function overlap(a: string, b: string): boolean {
  const left = a.split("/")
  const right = b.split("/")
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [one, other] = [left[i], right[i]]
    if (one === "*" || other === "*") return true
    if (one === undefined || other === undefined) return false
    if (!isParameter(one) && !isParameter(other) && one !== other) return false
  }
  return true
}
