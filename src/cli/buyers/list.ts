import { EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { formatInstant } from "../../core/time.ts"
import { listMandateKeys, listOrganizations, type MandateKey, type Organization } from "../../store/buyers/buyers.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { type DisputedSupplier, disputedSuppliers } from "../../store/sales/supplier-statements.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"

interface Listed {
  readonly organization: Organization
  readonly keys: readonly MandateKey[]
  readonly disputed: readonly DisputedSupplier[]
}

/** The most disputed suppliers that the text names. */
const DISPUTED_SHOWN = 20

export const command: Command = {
  name: "buyers list",
  summary: "list the buyer organizations, their verification, their mandate keys and their disputed suppliers",
  operands: "",
  flags: { ...DATA_FLAG, ...JSON_FLAG },
  examples: ["buyers list --data ./data"],
  async run(input) {
    const { store } = await openData(input)
    const listed = await store.read(everyone).finally(() => store.close())
    const now = formatInstant(realMachine.now())
    if (input.on("json")) {
      input.out(`${canonicalize({ version: 1, organizations: listed.map((each) => entry(each, now)) })}\n`)
      return EXIT.DONE
    }
    for (const { organization, keys, disputed } of listed) {
      const { organizationId, legalName, verification } = organization
      const status = statusOf(organization, now)
      input.out(`${organizationId}  ${status}  until ${verification.validUntil}  ${legalName}\n`)
      for (const { keyId, state, revokedSince } of keys) {
        input.out(`  ${keyId}  ${state}${revokedSince ? ` since ${revokedSince}` : ""}\n`)
      }
      const isPaused = [status, ...keys.map(({ state }) => state)].includes("PAUSED")
      for (const line of disputedLines(organization, disputed)) input.out(`  ${line}\n`)
      if (isPaused) input.out(`  paused by a restore: bizauth buyers confirm ${organizationId} KEY_ID…\n`)
    }
    return EXIT.DONE
  },
}

function* everyone(): Unit<Listed[]> {
  const listed: Listed[] = []
  for (const organization of yield* listOrganizations()) {
    const { organizationId } = organization
    listed.push({
      organization,
      keys: yield* listMandateKeys(organizationId),
      disputed: yield* disputedSuppliers(organizationId),
    })
  }
  return listed
}

/** What only the organization can settle: earlier records name these suppliers in ways that contradict each other. */
function disputedLines({ organizationId }: Organization, disputed: readonly DisputedSupplier[]): string[] {
  if (disputed.length === 0) return []
  const more = disputed.length - DISPUTED_SHOWN
  return [
    ...disputed.slice(0, DISPUTED_SHOWN).map(({ keys }) => `disputed supplier: ${keys.join(", ")}`),
    ...(more > 0 ? [`and ${more} more disputed suppliers: bizauth buyers list --json`] : []),
    `one supplier or several is for ${organizationId} to say: bizauth buyers sign-supplier FILE --action LINK or UNLINK, then bizauth buyers supplier FILE`,
  ]
}

/** EXPIRED is computed, because nothing runs when a verification expires. */
function statusOf({ state, verification }: Organization, now: string): Organization["state"] | "EXPIRED" {
  return state === "ACTIVE" && verification.validUntil <= now ? "EXPIRED" : state
}

function entry({ organization, keys, disputed }: Listed, now: string) {
  const { verification } = organization
  return {
    organization_id: organization.organizationId,
    legal_name: organization.legalName,
    organization_digest: organization.organizationDigest,
    tolerance: organization.tolerance,
    status: statusOf(organization, now),
    verification: {
      method: verification.method,
      reference: verification.reference,
      verified_at: verification.verifiedAt,
      valid_until: verification.validUntil,
      verified_by: verification.verifiedBy,
    },
    mandate_keys: keys.map(({ keyId, x, state, revokedSince }) => ({
      key_id: keyId,
      x,
      status: state,
      revoked_since: revokedSince,
    })),
    disputed_suppliers: disputed.map(({ supplierId, keys }) => ({ supplier_id: supplierId, identifiers: keys })),
  }
}
