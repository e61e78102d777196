/** Finds columns by name. So a reordered or extended file is still read correctly, and a renamed column is detected. */

import type { Finding } from "./adapter.ts"
import { hard, soft } from "./findings.ts"

export interface ColumnSpec {
  /** Every name that the publisher has used; the first is the current one. */
  readonly names: readonly string[]
  readonly required: boolean
}

export interface Columns<Key extends string> {
  readonly count: number
  /** -1 if the file lacks an optional column. */
  readonly at: Readonly<Record<Key, number>>
  readonly findings: readonly Finding[]
}

export function findColumns<Key extends string>(
  header: readonly string[],
  specs: Readonly<Record<Key, ColumnSpec>>,
  file: string,
): Columns<Key> {
  const present = header.map((name) => name.trim())
  const findings: Finding[] = []
  const known = new Set<string>()
  const at = {} as Record<Key, number>
  for (const key of Object.keys(specs) as Key[]) {
    const { names, required } = specs[key]
    at[key] = present.findIndex((name) => names.includes(name))
    for (const name of names) known.add(name)
    if (required && at[key] < 0) findings.push(hard("SCHEMA_BREAK", `column "${names[0]}" is missing`, file))
  }
  const repeated = present.filter((name, index) => present.indexOf(name) !== index)
  if (repeated.length > 0) findings.push(hard("SCHEMA_BREAK", `${repeated.length} columns repeat`, file))
  const unknown = present.filter((name) => !known.has(name))
  if (unknown.length > 0) {
    findings.push(soft("UNKNOWN_COLUMN", `${unknown.length} columns this parser does not know`, file))
  }
  return { count: present.length, at, findings }
}
