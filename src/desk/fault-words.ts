/** Why nothing was recorded, and the way out, for the person at the page. */
import type { CeremonyFault } from "../core/passkeys/ceremony.ts"
import type { ChallengeFault } from "../store/review/review-sessions.ts"
import type { TakeFault } from "../store/review/take-record.ts"

type DeskFault = TakeFault | CeremonyFault | ChallengeFault

const AGAIN = "Open the page again."

const WORDS: Readonly<Record<DeskFault, string>> = {
  SHAPE: `The browser sent no passkey that can be read. ${AGAIN}`,
  CREDENTIAL: `Another passkey signed than the one that this page asked for. ${AGAIN}`,
  CLIENT_DATA: `What the browser says about the signature cannot be read. ${AGAIN}`,
  TYPE: `The browser made a passkey where one had to sign, or the reverse. ${AGAIN}`,
  CHALLENGE: `The passkey signed something else than what this page showed. ${AGAIN}`,
  ORIGIN: "The passkey signed for another address. Open the desk at its own address, with its port.",
  FRAMED: "The passkey signed inside a page of another site. Open the desk in a tab of its own.",
  AUTHENTICATOR_DATA: `What the authenticator says about the signature cannot be read. ${AGAIN}`,
  RP_ID: "The passkey belongs to another site. Open the desk at its own address.",
  NOT_PRESENT: "Nobody touched the authenticator. Try again, and confirm on the device.",
  NOT_VERIFIED: "The authenticator did not check who you are. Use one with a PIN, a fingerprint or a face.",
  BACKUP_STATE: "The authenticator contradicts itself about its backup. Use another one.",
  COUNTER:
    "The counter of this passkey went back, which is the sign of a copy. Have the operator revoke it: bizauth review revoke.",
  KEY: "This kind of passkey cannot be used. The desk takes Ed25519, P-256 and RSA of 2,048 to 4,096 bits.",
  SIGNATURE: `The signature is wrong. ${AGAIN}`,
  CHALLENGE_UNKNOWN: `This page was used already, or it is of another session. ${AGAIN}`,
  CHALLENGE_ENDED: `This page is older than ten minutes. ${AGAIN}`,
  MEMBERS: "The record lacks a part, or has one that it must not have.",
  SUBJECT: "The record is about a passkey or a policy that is not there any more.",
  KEY_UNKNOWN: "This passkey is not enrolled here.",
  KEY_NOT_ACTIVE: "The passkey that signed, or the one to be approved, is revoked or waits for approvals.",
  KEY_OF_ANOTHER: "This passkey belongs to somebody else, or is enrolled already.",
  RECUSED: "You are recused from this buyer, so you never judge its cases. Leave the case to another reviewer.",
  CASE_CLOSED: "The case is closed. Only a note can follow.",
  PROPOSAL_OPEN: "A proposal is open. It is approved, rejected or withdrawn first.",
  UNTIL: "A judgement ends within a year, and not in the past.",
  NOT_OPEN:
    "The proposal is not open any more, or it is from before a restore. If it still waits, reject or withdraw it. Then judge the case anew.",
  DIFFERS: "The answer is not about what the proposal says. Open the proposal again.",
  OWN_PROPOSAL: "You proposed this yourself. Another person approves or rejects it.",
  NOT_OWN_PROPOSAL: "Only who proposed it withdraws it. Reject it instead.",
  APPROVED_ALREADY: "You approved this already. Another passkey of yours is still you.",
  PROPOSER_LOST:
    "The proposer may not judge any more, so the proposal cannot take effect. Reject it, then judge the case anew.",
  TOO_FEW_PERSONS: "Fewer persons can judge than the policy asks for. Enrol another reviewer first.",
  STALE: "Another record about this came in between. Read it, and sign again.",
  CASE_UNKNOWN: "There is no such case.",
  CASE_DIFFERS: "The case is of another buyer or product than the record says.",
  REVIEWER_UNKNOWN: "The operator has not entered you as a reviewer: bizauth review add NAME.",
  REVIEWER_DIFFERS: "The operator changed your entry since this page was made. Open it again.",
  TOO_MANY_KEYS:
    "A person enrols at most ten passkeys, and old ones count too. The operator enters you anew under another name, with the same recusals: bizauth review add NAME.",
  TOO_MANY_RECORDS: "This case has 200 records, which is the maximum. Have the buyer ask again, and judge that answer.",
  TOO_MANY_NOTES:
    "This case has 150 records, so it takes no more notes. Judge it, and write there what you know. Or have the buyer ask again, and judge that answer.",
  ENTRY_CHANGED:
    "The listed entry changed or left its list since it was judged. Have the buyer ask again, and judge that answer.",
  JUDGED_ALREADY: "A judgement in force says so already.",
  JUDGED_PAUSED:
    "A judgement says so already, and a restore paused it, so it does not count. Have the operator confirm it: bizauth suppressions confirm.",
  TOO_MANY_JUDGEMENTS: "The service has as many judgements in force as it takes. Have the operator revoke some.",
}

export function faultWords(fault: DeskFault): string {
  return WORDS[fault]
}
