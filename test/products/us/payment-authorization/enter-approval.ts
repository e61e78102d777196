import { SUPPLIER_APPROVAL_PRODUCT } from "../../../../schemas/us/supplier-approval.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { DAY, formatInstant } from "../../../../src/core/time.ts"
import { keepAnswerRecord } from "../../../../src/store/sales/answer-records.ts"
import { claimRequest } from "../../../../src/store/sales/requests.ts"
import { joinSupplier } from "../../../../src/store/sales/supplier-joins.ts"
import { DEV_ACCOUNTS } from "../../../fixtures/chain.ts"
import type { TestServer } from "../../../fixtures/test-server.ts"
import { APPROVAL, approvalFact } from "./reasons.ts"

const REQUEST = `drq_${"C".repeat(22)}`

/** The approval that the tests' bodies name, as if their payer had bought it a day ago. A second call adds no second one. */
export async function enterApproval({ store }: Pick<TestServer, "store">): Promise<void> {
  const decidedAt = formatInstant(Date.now() - DAY)
  const owner = DEV_ACCOUNTS.payer.address.toLowerCase()
  await store.run(function* () {
    yield* claimRequest({
      id: REQUEST,
      product: SUPPLIER_APPROVAL_PRODUCT,
      scope: owner,
      idempotencyKey: "an approval of yesterday",
      requestDigest: digestOf(REQUEST),
      bodyDigest: digestOf(REQUEST),
      rawBodyDigest: null,
      requestJson: "{}",
      organizationId: null,
      agentId: null,
      keyId: null,
      amountMillionths: null,
      createdAt: decidedAt,
    })
    const { supplier_key: subject, name_key: nameKey } = approvalFact()
    const supplierId = yield* joinSupplier({
      ownerId: owner,
      requestId: REQUEST,
      naming: { keys: [subject], nameKey, entityId: null },
      destination: "",
      decidedAt,
      keyId: null,
      registered: [],
      isVerified: false,
    })
    yield* keepAnswerRecord({
      requestId: REQUEST,
      product: SUPPLIER_APPROVAL_PRODUCT,
      owner,
      organizationId: null,
      keyId: null,
      executionId: APPROVAL,
      coreDigest: digestOf(APPROVAL),
      subject,
      nameKey,
      obligationKey: null,
      documentDigest: null,
      payeeFingerprint: null,
      destinationFingerprint: null,
      decision: "APPROVE",
      decidedAt,
      validUntil: formatInstant(Date.now() + 29 * DAY),
      supplierId,
      organizationSupplierId: null,
    })
  })
}
