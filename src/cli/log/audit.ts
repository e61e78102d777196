import { sendOverNetwork, serverOrigin } from "../../agent/service-call.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { sameBytes } from "../../core/bytes.ts"
import { type Checkpoint, readVerifierKey, type VerifierKey } from "../../core/checkpoint.ts"
import { LogReplay } from "../../core/log-replay.ts"
import { sha256 } from "../../core/sha256.ts"
import { verifierKeyOf } from "../../core/sign-checkpoint.ts"
import { type DataDirectory, DataDirectoryError } from "../../data/data-directory.ts"
import { readSizeRecord, type SizeRecord } from "../../data/log-size-record.ts"
import { EXIT_OF } from "../../offline/words/exit-codes.ts"
import { listServiceKeys } from "../../store/identity/service-keys.ts"
import { type EarlierOrigin, earlierOrigins, logOrigin } from "../../store/log/log-origin.ts"
import { type Command, DATA_FLAG, type Input, JSON_FLAG } from "../command.ts"
import { readDocumentBytes } from "../documents/read-document.ts"
import { openData } from "../inputs.ts"
import { auditDirectory } from "./audit-directory.ts"
import { AuditResult, type Difference } from "./audit-result.ts"
import { auditServer, openInto, type ServerCalls, serverLog, serverNote } from "./audit-server.ts"
import { compareEarlierNames, earlierDifference, sizesOf, underEarlierNames } from "./earlier-log.ts"

export const command: Command = {
  name: "log audit",
  summary: "read every leaf of the transparency log, rebuild tree and map, and compare",
  operands: "",
  flags: {
    ...DATA_FLAG,
    server: { help: "audit a service over its public tiles instead of a data directory", value: "URL" },
    "log-key": {
      help: "pinned verifier key (name+hash+key); without it the audit trusts the key that the server names",
      value: "VKEY",
    },
    since: { help: "an earlier checkpoint of this log, which the audited one must contain", value: "FILE" },
    ...JSON_FLAG,
  },
  examples: ["log audit --data ./data", "log audit --server http://127.0.0.1:8402"],
  run: (input) => runLogAudit(input, { send: sendOverNetwork, wait: (milliseconds) => Bun.sleep(milliseconds) }),
}

export async function runLogAudit(input: Input, calls: Omit<ServerCalls, "work" | "server">): Promise<ExitCode> {
  const server = input.text("server")
  if (server !== undefined && input.text("data") !== undefined) {
    throw new CommandError(EXIT.USAGE, "--server and --data exclude each other")
  }
  const result = new AuditResult()
  const since = input.text("since")
  const earlierNote = since === undefined ? null : new TextDecoder().decode(await readDocumentBytes(since))
  const replay =
    server === undefined
      ? await ofDirectory(input, earlierNote, result)
      : await ofServer(input, { ...calls, work: input.progress, server: serverOrigin(server) }, earlierNote, result)
  input.out(input.on("json") ? result.json(replay) : result.print(replay))
  return EXIT_OF[result.report.conclusion]
}

function pinnedKeys(input: Input): readonly VerifierKey[] | null {
  const text = input.text("log-key")
  if (text === undefined) return null
  const key = readVerifierKey(sha256, text)
  if (!key)
    throw new CommandError(EXIT.USAGE, "--log-key must be a verifier key: name+hash+key as in c2sp.org/signed-note")
  return [key]
}

async function ofServer(
  input: Input,
  calls: ServerCalls,
  earlierNote: string | null,
  result: AuditResult,
): Promise<LogReplay> {
  const pinned = pinnedKeys(input)
  const described = await serverLog(calls)
  const earlierNames = described.earlier
  const keys = pinned ?? described.keys
  if (!pinned) result.report.note("log key", "taken from the server itself; pin it with --log-key")
  const checkpoint = openInto(result, "checkpoint", await serverNote(calls), keys)
  const ofAllNames = underEarlierNames(keys, earlierNames)
  const earlier = earlierNote === null ? null : openInto(result, "earlier checkpoint", earlierNote, ofAllNames)
  const replay = new LogReplay(sha256, [earlier?.size ?? 0, ...sizesOf(earlierNames)])
  if (!checkpoint) return replay
  result.origin = checkpoint.origin
  const whole = await auditServer(calls, checkpoint, replay, result)
  if (whole) compareEarlierNames(result, replay, earlierNames)
  if (whole && earlier) compareEarlier(result, replay, { origin: checkpoint.origin, earlier: earlierNames }, earlier)
  return replay
}

async function ofDirectory(input: Input, earlierNote: string | null, result: AuditResult): Promise<LogReplay> {
  const opened = await openData(input)
  try {
    const origin = await opened.store.read(logOrigin)
    result.origin = origin
    const earlierNames = await opened.store.read(earlierOrigins)
    const keys = underEarlierNames(pinnedKeys(input) ?? (await ownKeys(opened, origin)), earlierNames)
    const earlier = earlierNote === null ? null : openInto(result, "earlier checkpoint", earlierNote, keys)
    const record = recordInto(result, opened)
    const replay = new LogReplay(sha256, [earlier?.size ?? 0, record?.size ?? 0, ...sizesOf(earlierNames)])
    const whole = await auditDirectory(opened.store, replay, result, input.progress)
    if (whole && record) {
      result.step(
        "size record",
        recordDifference(record, replay),
        `continues the ${record.size} leaves recorded on ${record.at}`,
      )
    }
    if (whole) compareEarlierNames(result, replay, earlierNames)
    if (whole && earlier) compareEarlier(result, replay, { origin: origin ?? "", earlier: earlierNames }, earlier)
    return replay
  } finally {
    await opened.store.close()
  }
}

async function ownKeys({ store }: DataDirectory, origin: string | null): Promise<readonly VerifierKey[]> {
  const keys = await store.read(() => listServiceKeys("log"))
  return origin === null
    ? []
    : keys.filter(({ status }) => status !== "REVOKED").map(({ x }) => verifierKeyOf(origin, x))
}

function recordInto(result: AuditResult, { paths }: DataDirectory): SizeRecord | null {
  try {
    const record = readSizeRecord(paths.directory)
    if (!record) result.report.note("size record", "none yet: no service has run on this database")
    return record
  } catch (error) {
    if (!(error instanceof DataDirectoryError)) throw error
    result.report.unchecked("size record", error.message)
    return null
  }
}

function recordDifference({ size, rootHash, at }: SizeRecord, replay: LogReplay): Difference | null {
  const root = replay.rootAt(size)
  if (!root) return { index: replay.size, what: `the log had ${size} leaves on ${at}: this is an older copy` }
  return sameBytes(root, rootHash) ? null : { index: null, what: `the first ${size} leaves are not those of ${at}` }
}

function compareEarlier(
  result: AuditResult,
  replay: LogReplay,
  names: { readonly origin: string; readonly earlier: readonly EarlierOrigin[] },
  kept: Checkpoint,
): void {
  const of = kept.origin === names.origin ? "" : ` of ${kept.origin}`
  result.step(
    "continues",
    earlierDifference(replay, names, kept),
    `the earlier checkpoint's ${kept.size} leaves${of} are the first of this log`,
  )
}
