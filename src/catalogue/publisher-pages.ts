/**
 * The publisher's page of an entry. INVARIANT: host and path come from this table. Of the file's own text only an id or a citation of a fixed
 * form enters, so no list can lead a reader elsewhere.
 */

const OFAC = "https://sanctionssearch.ofac.treas.gov/Details.aspx?id="
const UK = "https://search-uk-sanctions-list.service.gov.uk/designations"
const REGISTER = "https://www.federalregister.gov/citation"

/** `82 F.R. 48792 10/20/2017`, `80 FR 69852`. */
const CITATION = /(?:^|[^\d])(\d{1,3}) ?F\.? ?R\.? ?(\d{1,6})\b/

const UK_TYPES: Readonly<Record<string, string>> = { individual: "Individual", entity: "Entity", ship: "Ship" }

export function ofacLink(entryId: string): string | null {
  return /^\d{1,10}$/.test(entryId) ? OFAC + entryId : null
}

/** `type` is the publisher's word. Null for a word or an id of another form. */
export function ukLink(entryId: string, type: string): string | null {
  const word = UK_TYPES[type.toLowerCase()]
  return word !== undefined && /^[A-Z]{2,5}\d{1,6}$/.test(entryId) ? `${UK}/${entryId}/${word}` : null
}

/** `notice` may name several citations; the first is used. Null if it names none. */
export function federalRegisterLink(notice: string): string | null {
  const [, volume, page] = CITATION.exec(notice) ?? []
  return volume && page ? `${REGISTER}/${volume}-FR-${page}` : null
}

const REGISTER_PAGE = /\/(\d+)-FR-(\d+)$/

/**
 * The address of the page, made again from the table above. Null for an address that the table does not make for this entry: a document that
 * nobody verified can state any address, and leads no reader there.
 */
export function pageInTable(entryId: string, stated: string): string | null {
  const [, volume, page] = REGISTER_PAGE.exec(stated) ?? []
  const pages = [
    ofacLink(entryId),
    ...Object.keys(UK_TYPES).map((type) => ukLink(entryId, type)),
    federalRegisterLink(`${volume} FR ${page}`),
  ]
  return pages.find((one) => one === stated) ?? null
}
