/** Ids of headings, as code hosts make them of the heading's text: a repeated one gets a number. */
export class HeadingIds {
  readonly #used = new Map<string, number>()

  idOf(text: string): string {
    const base = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-")
    const before = this.#used.get(base) ?? 0
    this.#used.set(base, before + 1)
    return before === 0 ? base : `${base}-${before}`
  }
}
