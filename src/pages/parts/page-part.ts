/**
 * A piece of a page that two writers write: a server as markup, and the script of `/verify` as nodes. Every text stays text. `Leaf` is what only
 * one of the writers knows, such as markup that was made before.
 */
export type PagePart<Leaf = never> = string | Leaf | PageElement<Leaf>

type Tag =
  | "a"
  | "bdi"
  | "code"
  | "dd"
  | "div"
  | "dl"
  | "dt"
  | "h1"
  | "h2"
  | "h3"
  | "p"
  | "span"
  | "strong"
  | "table"
  | "tbody"
  | "td"
  | "th"
  | "thead"
  | "time"
  | "tr"
  | "wbr"

type Attributes = Readonly<Record<string, string>>

export interface PageElement<Leaf = never> {
  readonly tag: Tag
  readonly attributes: Attributes
  readonly inside: readonly PagePart<Leaf>[]
}

/** INVARIANT: no attribute takes text of a document, except `title` and `datetime`. An `href` comes from a fixed table. */
export function partWith<Leaf>(
  tag: Tag,
  inside: readonly PagePart<Leaf>[],
  attributes: Attributes = {},
): PageElement<Leaf> {
  return { tag, attributes, inside }
}

/** A piece that both writers can write. */
export const part = partWith<never>
