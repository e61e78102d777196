/** An answer that a command judges: by its id in the data directory, or as the bundle that `export` writes. */
import { CommandError, EXIT } from "../../base/exit.ts"
import { plainText } from "../../core/text/plain-text.ts"
import type { DataDirectory } from "../../data/data-directory.ts"
import { type GivenAnswer, isAnswerId, openBundle, readStoredAnswer } from "../../judgements/given-answer.ts"
import { publishedKeys } from "../../keys/published-keys.ts"
import { verifyFile } from "../../offline/verify-file.ts"
import type { Store } from "../../store/engine/unit.ts"
import { listServiceKeys } from "../../store/identity/service-keys.ts"
import { KNOWN } from "./known-documents.ts"
import { readDocumentBytes } from "./read-document.ts"

/** Exits with 5 if the data directory has no such answer, or with 3 or 4 for a bundle that nobody may act on. `now` in milliseconds. */
export async function readGivenAnswer(
  { store, environment }: Pick<DataDirectory, "store" | "environment">,
  operand: string,
  now: number,
): Promise<GivenAnswer> {
  if (isAnswerId(operand)) return readStoredAnswer(store, operand)
  const bytes = await readDocumentBytes(operand)
  const given = openBundle(bytes, operand)
  if (given.facts.environment !== environment) {
    throw new CommandError(
      EXIT.INVALID,
      `${operand} is of the environment ${given.facts.environment}, and this data directory is of ${environment}: what a person judges in one does not count in the other`,
    )
  }
  await requireGenuine(store, { name: operand, bytes }, now)
  return given
}

/** By this service's own keys: an answer of another service is judged there. */
async function requireGenuine(store: Store, file: { name: string; bytes: Uint8Array }, now: number): Promise<void> {
  const jwks = publishedKeys(await store.read(() => listServiceKeys("statement")), { revoked: true })
  const keys = { name: "the keys of this data directory", bytes: new TextEncoder().encode(JSON.stringify(jwks)) }
  const { judgement } = await verifyFile(
    {
      document: async () => file,
      read: async (flag) => (flag === "issuer" ? keys : null),
      listed: async () => [],
      text: () => undefined,
      isGiven: () => false,
      reformatted: false,
    },
    KNOWN,
    now,
  )
  const { verdict, because } = judgement
  const why = because === null ? "" : ` (${because.check}: ${plainText(because.detail)})`
  if (verdict === "REFUSED")
    throw new CommandError(EXIT.INVALID, `${file.name} is not genuine${why}; nobody may act on it`)
  if (verdict === "OPEN") {
    throw new CommandError(
      EXIT.NOT_CHECKED,
      `${file.name} cannot be checked with the keys of this data directory${why}; judge it where it was sold`,
    )
  }
}
