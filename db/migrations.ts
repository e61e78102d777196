/** All migrations of this binary. Append only: a released file never changes, because each database stores its hash. */
import type { Fill } from "./fill.ts"
import meta from "./migrations/0001_meta.sql" with { type: "text" }
import agentIdentity from "./migrations/0002_agent_identity.sql" with { type: "text" }
import buyers from "./migrations/0003_buyers.sql" with { type: "text" }
import sources from "./migrations/0004_sources.sql" with { type: "text" }
import delivery from "./migrations/0005_delivery.sql" with { type: "text" }
import agentKeyChange from "./migrations/0006_agent_key_change.sql" with { type: "text" }
import transparencyLog from "./migrations/0007_transparency_log.sql" with { type: "text" }
import signatures from "./migrations/0008_signatures.sql" with { type: "text" }
import invitations from "./migrations/0009_invitations.sql" with { type: "text" }
import serviceIdentities from "./migrations/0010_service_identities.sql" with { type: "text" }
import deliveryLogIndex from "./migrations/0011_delivery_log_index.sql" with { type: "text" }
import challengeAsker from "./migrations/0012_challenge_asker.sql" with { type: "text" }
import suppressions from "./migrations/0013_suppressions.sql" with { type: "text" }
import companyLookup from "./migrations/0014_company_lookup.sql" with { type: "text" }
import sourceCheck from "./migrations/0015_source_check.sql" with { type: "text" }
import sourceHealthEvent from "./migrations/0016_source_health_event.sql" with { type: "text" }
import businessAnswers from "./migrations/0017_business_answers.sql" with { type: "text" }
import authorizationToken from "./migrations/0018_authorization_token.sql" with { type: "text" }
import growth from "./migrations/0019_growth.sql" with { type: "text" }
import settlement from "./migrations/0020_settlement.sql" with { type: "text" }
import settlingAge from "./migrations/0021_settling_age.sql" with { type: "text" }
import contentAge from "./migrations/0022_content_age.sql" with { type: "text" }
import currentAuthorizations from "./migrations/0023_current_authorizations.sql" with { type: "text" }
import rawBodyDigest from "./migrations/0024_raw_body_digest.sql" with { type: "text" }
import currentByObligation from "./migrations/0025_current_authorizations_by_obligation.sql" with { type: "text" }
import sourceContent from "./migrations/0026_source_content.sql" with { type: "text" }
import proofWallet from "./migrations/0027_proof_wallet.sql" with { type: "text" }
import salesAndBeacon from "./migrations/0028_sales_and_beacon.sql" with { type: "text" }
import planning from "./migrations/0029_planning.sql" with { type: "text" }
import purchase from "./migrations/0030_purchase.sql" with { type: "text" }
import agentModeLimits from "./migrations/0031_agent_mode_limits.sql" with { type: "text" }
import contactStop from "./migrations/0032_contact_stop.sql" with { type: "text" }
import acpJob from "./migrations/0033_acp_job.sql" with { type: "text" }
import mail from "./migrations/0034_mail.sql" with { type: "text" }
import lostTransfer from "./migrations/0035_lost_transfer.sql" with { type: "text" }
import acpJobNumber from "./migrations/0036_acp_job_number.sql" with { type: "text" }
import operatorCounts from "./migrations/0037_operator_counts.sql" with { type: "text" }
import messageIndex from "./migrations/0038_message_index.sql" with { type: "text" }
import messageOrder from "./migrations/0039_message_order.sql" with { type: "text" }
import nonceOrder from "./migrations/0040_nonce_order.sql" with { type: "text" }
import messageMarks from "./migrations/0041_message_marks.sql" with { type: "text" }
import suppressionUse from "./migrations/0042_suppression_use.sql" with { type: "text" }
import identitySets from "./migrations/0043_identity_sets.sql" with { type: "text" }
import shares from "./migrations/0044_shares.sql" with { type: "text" }
import restoreConfirmation from "./migrations/0045_restore_confirmation.sql" with { type: "text" }
import supplierStatement from "./migrations/0046_supplier_statement.sql" with { type: "text" }
import confirmedAgents from "./migrations/0047_confirmed_agents.sql" with { type: "text" }
import manyWriters from "./migrations/0048_many_writers.sql" with { type: "text" }
import purgeRound from "./migrations/0049_purge_round.sql" with { type: "text" }
import instances from "./migrations/0050_instances.sql" with { type: "text" }
import sharedLists from "./migrations/0051_shared_lists.sql" with { type: "text" }
import storedOnce from "./migrations/0052_stored_once.sql" with { type: "text" }
import soldAnswers from "./migrations/0053_sold_answers.sql" with { type: "text" }
import snapshotDetail from "./migrations/0054_snapshot_detail.sql" with { type: "text" }
import judgedDetails from "./migrations/0055_judged_details.sql" with { type: "text" }
import review from "./migrations/0056_review.sql" with { type: "text" }
import reviewCounts from "./migrations/0057_review_counts.sql" with { type: "text" }
import reviewProducts from "./migrations/0058_review_products.sql" with { type: "text" }
import longKeys from "./migrations/0059_long_keys.sql" with { type: "text" }
import newestTransfers from "./migrations/0060_newest_transfers.sql" with { type: "text" }
import usedBlock from "./migrations/0061_used_block.sql" with { type: "text" }
import { fillIdentitySets } from "./migrations/fills/identity-sets.ts"
import { fillLongKeys } from "./migrations/fills/long-keys.ts"
import { fillMessageMarks } from "./migrations/fills/message-marks.ts"

export interface Migration {
  readonly ordinal: number
  readonly name: string
  readonly sql: string
  /** The text for PostgreSQL, of a `.pg.sql` file, where the rules of `postgres/rules.ts` do not make it from `sql`. */
  readonly postgres?: string
  /** Runs after the text, in the same transaction, for what SQL cannot do. Once released it does not change. */
  readonly fill?: Fill
}

export const migrations: readonly Migration[] = [
  { ordinal: 1, name: "0001_meta", sql: meta },
  { ordinal: 2, name: "0002_agent_identity", sql: agentIdentity },
  { ordinal: 3, name: "0003_buyers", sql: buyers },
  { ordinal: 4, name: "0004_sources", sql: sources },
  { ordinal: 5, name: "0005_delivery", sql: delivery },
  { ordinal: 6, name: "0006_agent_key_change", sql: agentKeyChange },
  { ordinal: 7, name: "0007_transparency_log", sql: transparencyLog },
  { ordinal: 8, name: "0008_signatures", sql: signatures },
  { ordinal: 9, name: "0009_invitations", sql: invitations },
  { ordinal: 10, name: "0010_service_identities", sql: serviceIdentities },
  { ordinal: 11, name: "0011_delivery_log_index", sql: deliveryLogIndex },
  { ordinal: 12, name: "0012_challenge_asker", sql: challengeAsker },
  { ordinal: 13, name: "0013_suppressions", sql: suppressions },
  { ordinal: 14, name: "0014_company_lookup", sql: companyLookup },
  { ordinal: 15, name: "0015_source_check", sql: sourceCheck },
  { ordinal: 16, name: "0016_source_health_event", sql: sourceHealthEvent },
  { ordinal: 17, name: "0017_business_answers", sql: businessAnswers },
  { ordinal: 18, name: "0018_authorization_token", sql: authorizationToken },
  { ordinal: 19, name: "0019_growth", sql: growth },
  { ordinal: 20, name: "0020_settlement", sql: settlement },
  { ordinal: 21, name: "0021_settling_age", sql: settlingAge },
  { ordinal: 22, name: "0022_content_age", sql: contentAge },
  { ordinal: 23, name: "0023_current_authorizations", sql: currentAuthorizations },
  { ordinal: 24, name: "0024_raw_body_digest", sql: rawBodyDigest },
  { ordinal: 25, name: "0025_current_authorizations_by_obligation", sql: currentByObligation },
  { ordinal: 26, name: "0026_source_content", sql: sourceContent },
  { ordinal: 27, name: "0027_proof_wallet", sql: proofWallet },
  { ordinal: 28, name: "0028_sales_and_beacon", sql: salesAndBeacon },
  { ordinal: 29, name: "0029_planning", sql: planning },
  { ordinal: 30, name: "0030_purchase", sql: purchase },
  { ordinal: 31, name: "0031_agent_mode_limits", sql: agentModeLimits },
  { ordinal: 32, name: "0032_contact_stop", sql: contactStop },
  { ordinal: 33, name: "0033_acp_job", sql: acpJob },
  { ordinal: 34, name: "0034_mail", sql: mail },
  { ordinal: 35, name: "0035_lost_transfer", sql: lostTransfer },
  { ordinal: 36, name: "0036_acp_job_number", sql: acpJobNumber },
  { ordinal: 37, name: "0037_operator_counts", sql: operatorCounts },
  { ordinal: 38, name: "0038_message_index", sql: messageIndex },
  { ordinal: 39, name: "0039_message_order", sql: messageOrder },
  { ordinal: 40, name: "0040_nonce_order", sql: nonceOrder },
  { ordinal: 41, name: "0041_message_marks", sql: messageMarks, fill: fillMessageMarks },
  { ordinal: 42, name: "0042_suppression_use", sql: suppressionUse },
  { ordinal: 43, name: "0043_identity_sets", sql: identitySets, fill: fillIdentitySets },
  { ordinal: 44, name: "0044_shares", sql: shares },
  { ordinal: 45, name: "0045_restore_confirmation", sql: restoreConfirmation },
  { ordinal: 46, name: "0046_supplier_statement", sql: supplierStatement },
  { ordinal: 47, name: "0047_confirmed_agents", sql: confirmedAgents },
  { ordinal: 48, name: "0048_many_writers", sql: manyWriters },
  { ordinal: 49, name: "0049_purge_round", sql: purgeRound },
  { ordinal: 50, name: "0050_instances", sql: instances },
  { ordinal: 51, name: "0051_shared_lists", sql: sharedLists },
  { ordinal: 52, name: "0052_stored_once", sql: storedOnce },
  { ordinal: 53, name: "0053_sold_answers", sql: soldAnswers },
  { ordinal: 54, name: "0054_snapshot_detail", sql: snapshotDetail },
  { ordinal: 55, name: "0055_judged_details", sql: judgedDetails },
  { ordinal: 56, name: "0056_review", sql: review },
  { ordinal: 57, name: "0057_review_counts", sql: reviewCounts },
  { ordinal: 58, name: "0058_review_products", sql: reviewProducts },
  { ordinal: 59, name: "0059_long_keys", sql: longKeys, fill: fillLongKeys },
  { ordinal: 60, name: "0060_newest_transfers", sql: newestTransfers },
  { ordinal: 61, name: "0061_used_block", sql: usedBlock },
]
