/** Applies what an organization signed about its own suppliers. */
import type { SupplierIdentityStatement } from "../../../schemas/us/supplier-identity.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { canonicalBytes, canonicalize } from "../../core/canonical-json.ts"
import { verifySignature } from "../../core/ed25519.ts"
import { legalNameKey } from "../../core/legal-name-key.ts"
import { DAY, formatInstant, instant, MINUTE } from "../../core/time.ts"
import { without } from "../../core/without.ts"
import { findMandateKey } from "../../store/buyers/buyers.ts"
import { MEMBERS_MAX, NAMES_MAX } from "../../store/sales/supplier-sets.ts"
import { applyStatement } from "../../store/sales/supplier-statements.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { readDocumentJson } from "../documents/read-document.ts"
import { CONFIG_FLAGS, openData, readSettings } from "../inputs.ts"
import { isStatement, STATEMENT_DAYS, statementFault } from "./supplier-statement.ts"

const VALID_MAX_MS = STATEMENT_DAYS * DAY
/** The organization's clock may be ahead. */
const AHEAD_MAX_MS = 5 * MINUTE

export const command: Command = {
  name: "buyers supplier",
  summary: "apply what an organization's mandate key signed about which names and identifiers are one supplier",
  operands: "FILE",
  flags: {
    ...DATA_FLAG,
    ...Object.fromEntries(Object.entries(CONFIG_FLAGS).filter(([name]) => name === "config" || name === "base-url")),
    ...JSON_FLAG,
  },
  examples: ["buyers supplier ./one-supplier.json --data ./data --base-url http://127.0.0.1:8402"],
  async run(input) {
    const [file = ""] = input.operands
    const statement = statementIn(file, await readDocumentJson(file))
    const baseUrl = readSettings(input).config.base_url ?? ""
    if (statement.audience !== baseUrl) {
      throw new CommandError(EXIT.INVALID, `${file} is for ${statement.audience}, and this service is ${baseUrl}`)
    }
    const now = realMachine.now()
    requireCurrent(file, statement, now)
    const { store } = await openData(input)
    try {
      const { organization_id: organizationId, signature, action } = statement
      const key = await store.read(() => findMandateKey(organizationId, signature.key_id))
      const content = canonicalBytes(without(statement, "signature"))
      const isSigned =
        key !== null && signature.issuer === organizationId && verifySignature(key.x, content, signature.value)
      if (!isSigned) {
        throw new CommandError(
          EXIT.INVALID,
          `${file} is not signed by a mandate key of ${organizationId}; /v1/agent/signed-forms#SUPPLIER_IDENTITY says what it signs`,
        )
      }
      const outcome = await store.run(() =>
        applyStatement({
          organizationId,
          action,
          keys: statement.keys,
          nameKeys: statement.names.map(legalNameKey).filter((name) => name !== ""),
          entityIds: statement.entity_ids,
          nonce: statement.nonce,
          document: canonicalize(statement),
          keyId: signature.key_id,
          at: formatInstant(now),
        }),
      )
      if (outcome.kind !== "APPLIED") throw new CommandError(EXIT.INVALID, `${file}: ${WHY[outcome.kind]}`)
      const { supplierId } = outcome
      input.result(
        { organization: organizationId, action, supplier: supplierId },
        `${action === "LINK" ? "linked   " : "unlinked "} ${[...statement.keys, ...statement.names, ...statement.entity_ids].join(", ")}\n`,
      )
    } finally {
      await store.close()
    }
    return EXIT.DONE
  },
}

const WHY = {
  KEY_NOT_ACTIVE: "its mandate key is revoked, or paused by a restore; sign it with an active one",
  TAKEN_BEFORE: "it was applied before, and nothing was changed",
  TOO_LARGE: `one supplier has at most ${MEMBERS_MAX} merged sets and ${NAMES_MAX} names; UNLINK some first`,
} as const

function statementIn(file: string, value: unknown): SupplierIdentityStatement {
  if (isStatement(value)) return value
  throw new CommandError(EXIT.INVALID, `${file} is no svc.supplier-identity.v1: ${statementFault(value)}`)
}

function requireCurrent(file: string, statement: SupplierIdentityStatement, now: number): void {
  const [issued, until] = [instant(statement.issued_at), instant(statement.valid_until)]
  if (issued > now + AHEAD_MAX_MS || until <= now || until - issued > VALID_MAX_MS) {
    throw new CommandError(
      EXIT.INVALID,
      `${file} is valid from ${statement.issued_at} to ${statement.valid_until}: it must be valid now, and for at most ${STATEMENT_DAYS} days`,
    )
  }
}
