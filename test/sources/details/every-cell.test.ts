/** Every cell of a publisher's row is found in the details of its entry, whatever the cells say. */
import { expect, test } from "bun:test"
import type { EntryDetails } from "../../../schemas/entry-details.ts"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import { SAM_COLUMNS } from "../../../src/sources/publishers/us-sam-exclusions/record.ts"
import { CSL_COLUMNS } from "../../../src/sources/publishers/us-trade-csl/record.ts"
import type { SourceFile } from "../../../src/sources/records/adapter.ts"
import type { SourceId } from "../../../src/sources/records/party.ts"
import { chance } from "../../fixtures/chance.ts"
import { SEED } from "../../fixtures/long.ts"
import { UK_HEADER } from "../../fixtures/uk-sanctions-list.ts"

const ENTRIES = 150
const WORDS = [
  "Vostok",
  "O'Neil",
  "A &amp; B",
  "&lt;b&gt;",
  '"quoted"',
  "حاجی\u200cخير",
  "naïve  gap",
  "#12/b",
  "=cmd()",
]

/** Texts of one seed. Each has a number of its own, so that it is found only where it was put. */
class Texts {
  readonly random = chance(SEED)
  private count = 0

  /** Empty for about a third. */
  any(): string {
    return this.random() < 0.35 ? "" : this.some()
  }

  some(): string {
    const word = WORDS[Math.floor(this.random() * WORDS.length)] ?? ""
    return `${word} t${++this.count}x`
  }

  one<T>(...of: readonly T[]): T {
    return of[Math.floor(this.random() * of.length)]!
  }
}

const quoted = (cells: readonly string[]) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",")
const file = (name: string, text: string): SourceFile => ({
  name,
  bytes: new TextEncoder().encode(text),
  modifiedAt: 0,
})

function detailsOf(id: SourceId, files: readonly SourceFile[]): ReadonlyMap<string, EntryDetails> {
  const found = new Map<string, EntryDetails>()
  const emit = (details: EntryDetails) => void found.set(details.entry_id, details)
  const { parties } = ADAPTERS[id].parse(files, emit)
  const again = new Map<string, EntryDetails>()
  ADAPTERS[id].details(files, (details) => void again.set(details.entry_id, details))
  expect([...again]).toEqual([...found])
  if (parties.length > 0) expect([...found.keys()].sort()).toEqual(parties.map(({ entryId }) => entryId).sort())
  return found
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const decoded = (text: string) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")

/** `between`: what separates several texts in one cell. */
function expectFound(details: EntryDetails | undefined, cells: readonly string[], between: RegExp): void {
  const texts = textsIn(details)
  for (const cell of cells)
    for (const part of decoded(cell)
      .split(between)
      .map((text) => text.trim()))
      if (part !== "" && !texts.some((text) => text.includes(part)))
        expect({ missing: part, in: details }).toEqual({ missing: "", in: details })
}

test("OFAC's four CSV files", () => {
  const texts = new Texts()
  const [primary, addresses, aliases, comments]: string[][][] = [[], [], [], []]
  const cells = new Map<string, string[]>()
  const raw = (rows: readonly (readonly string[])[] = []) =>
    `${rows.map((row) => row.map((cell) => (cell === "" ? "-0- " : `"${cell.replaceAll('"', '""')}"`)).join(",")).join("\r\n")}\r\n\u001a`
  for (let number = 1; number <= ENTRIES; number++) {
    const id = String(number)
    const long = texts.random() < 0.1 ? `${"x".repeat(996)} y` : texts.any()
    const type = texts.one("individual", "vessel", "aircraft", "")
    const row = [
      id,
      texts.some(),
      type,
      `${texts.some()}] [${texts.some()}`,
      ...Array.from({ length: 7 }, () => texts.any()),
    ]
    const mine = [...row, long]
    primary!.push(mine)
    if (long.startsWith("xx")) {
      comments!.push([id, `z; DOB ${texts.some()}.`])
      mine[11] = long + comments!.at(-1)![1]!
      primary![primary!.length - 1] = [...row, long]
    }
    const here = [mine]
    for (let at = 0; at <= texts.random() * 3; at++) {
      addresses!.push([id, String(number * 10 + at + 1000), texts.any(), texts.any(), texts.any(), texts.any()])
      aliases!.push([id, String(number * 10 + at + 1000), texts.one("aka", "fka", "nka"), texts.some(), texts.any()])
      here.push(addresses!.at(-1)!, aliases!.at(-1)!)
    }
    cells.set(id, here.flat())
  }
  const files = [
    file("sdn.csv", raw(primary)),
    file("add.csv", raw(addresses)),
    file("alt.csv", raw(aliases)),
    file("sdn_comments.csv", raw(comments)),
  ]
  const found = detailsOf("US_OFAC_SDN", files)
  expect(found.size).toBe(ENTRIES)
  for (const [id, mine] of cells) expectFound(found.get(id), mine, /\] \[/)
})

test("OFAC's XML list, with elements that no rule reads", () => {
  const texts = new Texts()
  const cells = new Map<string, string[]>()
  const body: string[] = []
  for (let number = 1; number <= ENTRIES; number++) {
    const mine: string[] = []
    const leaf = (name: string, text = texts.any()) => {
      mine.push(text)
      return text === "" ? "" : `<${name}>${text.includes("&") ? text : text.replaceAll('"', "&quot;")}</${name}>`
    }
    const list = (name: string, item: string, ...leaves: readonly string[]) =>
      `<${name}><${item}>${leaf("uid")}${leaves.map((one) => leaf(one)).join("")}${leaf("unknown")}</${item}></${name}>`
    body.push(
      `<sdnEntry>${leaf("uid", String(number))}${leaf("firstName")}${leaf("lastName", texts.some())}${leaf("title")}`,
      leaf("sdnType", texts.one("Individual", "Entity", "Vessel")) + leaf("remarks") + leaf("whatIsThis"),
      `<programList>${leaf("program")}${leaf("program")}</programList>`,
      list("idList", "id", "idType", "idNumber", "idCountry", "issueDate", "expirationDate"),
      list("akaList", "aka", "type", "category", "lastName", "firstName"),
      list(
        "addressList",
        "address",
        "address1",
        "address2",
        "address3",
        "city",
        "stateOrProvince",
        "postalCode",
        "country",
      ),
      list("nationalityList", "nationality", "country", "mainEntry"),
      list("citizenshipList", "citizenship", "country", "mainEntry"),
      list("dateOfBirthList", "dateOfBirthItem", "dateOfBirth", "mainEntry"),
      list("placeOfBirthList", "placeOfBirthItem", "placeOfBirth", "mainEntry"),
      `<vesselInfo>${leaf("callSign")}${leaf("vesselType")}${leaf("vesselFlag")}${leaf("vesselOwner")}${leaf("tonnage")}</vesselInfo>`,
      `<newList><newItem>${leaf("newLeaf")}</newItem></newList></sdnEntry>`,
    )
    cells.set(String(number), mine)
  }
  const head = `<publshInformation><Publish_Date>11/20/2026</Publish_Date><Record_Count>${ENTRIES}</Record_Count></publshInformation>`
  const found = detailsOf("US_OFAC_SDN", [
    file("sdn.xml", `<?xml version="1.0"?><sdnList>${head}${body.join("\n")}</sdnList>`),
  ])
  expect(found.size).toBe(ENTRIES)
  for (const [id, mine] of cells)
    expectFound(
      found.get(id),
      mine.map((text) => text.replaceAll("&quot;", '"')),
      /;|\.$/,
    )
})

test("the Consolidated Screening List, with a column that no rule reads", () => {
  const texts = new Texts()
  const header = [...Object.values(CSL_COLUMNS).flatMap(({ names }) => names), "a_new_column"]
  const sources = [
    "Entity List (EL) - Bureau of Industry and Security",
    "Unverified List (UVL) - Bureau of Industry and Security",
  ]
  const rows = Array.from({ length: ENTRIES }, (_, at) => {
    const row: Record<string, string> = Object.fromEntries(header.map((name) => [name, texts.any()]))
    for (const name of ["addresses", "alt_names", "nationalities"]) row[name] = `${texts.any()}; ${texts.any()}`
    row["ids"] = texts.one("", `US, ${texts.some()}, Tax ID No.`, texts.some())
    return {
      ...row,
      _id: texts.one(`id${at}`, ""),
      source: texts.one(...sources),
      type: texts.one("Entity", ""),
      name: texts.some(),
    }
  })
  const cellsOf = (row: Readonly<Record<string, string>>) => header.map((name) => row[name] ?? "")
  const text = `${[header, ...rows.map(cellsOf)].map(quoted).join("\r\n")}\r\n`
  const found = [...detailsOf("US_TRADE_CSL", [file("consolidated.csv", text)]).values()]
  expect(found).toHaveLength(ENTRIES)
  for (const [at, row] of rows.entries()) expectFound(found[at], cellsOf(row), /;|, /)
})

test("SAM exclusions: several rows of one number, and further addresses", () => {
  const texts = new Texts()
  const header = [...Object.values(SAM_COLUMNS).map(({ names }) => names[0]!), "A New Column"]
  const cells = new Map<string, string[]>()
  const rows: string[][] = []
  for (let number = 1; number <= ENTRIES; number++) {
    const id = `S4${number}`
    const name = texts.some()
    for (let at = 0; at <= texts.random() * 3; at++) {
      const row: Record<string, string> = Object.fromEntries(header.map((column) => [column, texts.any()]))
      row["SAM Number"] = id
      row["Name"] = texts.one(name, texts.some())
      row["Cross-Reference"] = texts.one("", `(also ${texts.some()}, ${texts.some()})`)
      if (at === 2) for (const column of ["Classification", "Excluding Agency", "Exclusion Type"]) row[column] = ""
      else row["Classification"] = texts.one("Firm", "Individual", "Vessel")
      const mine = header.map((column) => row[column] ?? "")
      rows.push(mine)
      cells.set(id, [...(cells.get(id) ?? []), ...mine])
    }
  }
  const name = "SAM_Exclusions_Public_Extract_V2_26324.CSV"
  const found = detailsOf("US_SAM_EXCLUSIONS", [file(name, `${[header, ...rows].map(quoted).join("\r\n")}\r\n`)])
  expect(found.size).toBe(ENTRIES)
  for (const [id, mine] of cells) expectFound(found.get(id), mine, /\n/)
})

test("the UK list: many rows of one designation, with a column that no rule reads", () => {
  const texts = new Texts()
  const header = [...UK_HEADER, "A new column"]
  const cells = new Map<string, string[]>()
  const rows: string[][] = []
  for (let number = 1; number <= ENTRIES; number++) {
    const id = `TST${String(number).padStart(4, "0")}`
    for (let at = 0; at <= texts.random() * 4; at++) {
      const row: Record<string, string> = Object.fromEntries(header.map((column) => [column, texts.any()]))
      const own = {
        "Unique ID": id,
        "Designation Type": "Entity",
        "Sanctions Imposed": `${texts.any()}|${texts.any()}`,
      }
      const named = { "Name 6": at === 0 ? texts.some() : texts.any(), "Name type": texts.one("Primary Name", "Alias") }
      Object.assign(row, own, named, { "Alias strength": texts.one("", "Good quality", "Low quality") })
      const mine = header.map((column) => row[column] ?? "")
      rows.push(mine)
      cells.set(id, [...(cells.get(id) ?? []), ...mine])
    }
  }
  const text = `Report Date: 20-Nov-2026\r\n${[header, ...rows].map(quoted).join("\r\n")}\r\n`
  const found = detailsOf("UK_SANCTIONS_LIST", [file("UK-Sanctions-List.csv", text)])
  expect(found.size).toBe(ENTRIES)
  for (const [id, mine] of cells) expectFound(found.get(id), mine, /\|/)
})
