/**
 * The rows of a CSV list, one after the other. The cells of a row go to the members of an entry; a cell that no member takes is left for the
 * record of the row.
 */
import type { Labelled } from "../../../schemas/entry-details.ts"
import type { Columns } from "../records/columns.ts"
import { decodeEntities } from "./decode-entities.ts"

export class DetailRows<Key extends string> {
  readonly #header: readonly string[]
  readonly #taken: boolean[]
  #cells: readonly string[] = []

  constructor(
    header: readonly string[],
    private readonly at: Columns<Key>["at"],
  ) {
    this.#header = header.map((name) => name.trim())
    this.#taken = this.#header.map(() => false)
  }

  /** Goes on to the next row. `cells`: as the publisher wrote them. */
  begin(cells: readonly string[]): void {
    this.#cells = cells
    this.#taken.fill(false)
  }

  /** Returns the text of a cell, `""` for an absent column. The caller puts it into a member of the entry. */
  take(key: Key): string {
    const at = this.at[key]
    if (at < 0) return ""
    this.#taken[at] = true
    return printedText(this.#cells[at] ?? "")
  }

  /** The publisher's name of the column. */
  label(key: Key): string {
    return this.#header[this.at[key]] ?? key
  }

  /** Returns the cells that nobody took and that are not empty, under the publisher's names of their columns. */
  rest(): Labelled[] {
    const rest: Labelled[] = []
    for (const [at, label] of this.#header.entries()) {
      if (this.#taken[at]) continue
      const text = printedText(this.#cells[at] ?? "")
      if (text !== "") rest.push({ label, text })
    }
    return rest
  }
}

function printedText(cell: string): string {
  return cell === "" ? "" : decodeEntities(cell.trim())
}
