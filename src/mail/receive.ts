/** Stores a message before its sender is told that it arrived. */
import { digestBytes } from "../core/digest.ts"
import { formatId, ID_RANDOM_BYTES } from "../core/ids.ts"
import { sha256 } from "../core/sha256.ts"
import { formatInstant } from "../core/time.ts"
import { receiveMail } from "../store/mail/mail-in.ts"
import type { MailDeps } from "./deps.ts"
import { readHeaderBlock, valuesOf } from "./header-block.ts"
import type { Reception } from "./smtp-listener.ts"

/** A message that comes twice with the same Message-ID and the same bytes has the same id. */
export function messageId(raw: Uint8Array): string {
  const fields = readHeaderBlock(raw)
  const named = typeof fields === "string" ? "" : (valuesOf(fields, "message-id")[0] ?? "")
  const key = sha256(Buffer.from(`${named}\n${digestBytes(raw)}`, "latin1"))
  return formatId("eml", key.slice(0, ID_RANDOM_BYTES))
}

export async function receiveMessage(
  { store, machine, log, trace }: Pick<MailDeps, "store" | "machine" | "log" | "trace">,
  raw: Uint8Array,
  isFromNobody: boolean,
): Promise<Reception> {
  const dropped = isFromNobody ? "NULL_SENDER" : null
  const row = { id: messageId(raw), raw, receivedAt: formatInstant(machine.now()), dropped }
  const stored = await store.run(() => receiveMail(row))
  trace?.("received")
  if (stored === "FULL") log.warn("mail_put_off", { code: "TOO_MANY_WAITING" })
  else if (dropped !== null) log.info("mail_dropped", { code: dropped })
  return stored === "FULL" ? "LATER" : "STORED"
}
