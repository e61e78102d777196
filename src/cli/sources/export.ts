import { resolve } from "node:path"
import { CommandError, EXIT } from "../../base/exit.ts"
import { isDenied, systemFault } from "../../base/system-fault.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { TarBroken } from "../../core/tar/tar.ts"
import { ExportRefused, exportSnapshot } from "../../sources/import/export-snapshot.ts"
import { isTar } from "../../sources/import/read-tar-input.ts"
import { isHere, NotReceived, receiveSnapshot } from "../../sources/machines/receive-snapshot.ts"
import { type SnapshotRow, snapshotsOnDisk } from "../../store/sources/sources.ts"
import { readMandateKey } from "../buyers/mandate-key-file.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"
import { needSource } from "./source-argument.ts"

export const command: Command = {
  name: "sources export",
  summary: "write a kept snapshot as an svc-snapshot-1 archive or folder, for another machine to import",
  operands: "ID",
  flags: {
    ...DATA_FLAG,
    snapshot: { help: "id of a kept snapshot; default the active one", value: "SNP" },
    out: {
      help: "new file ending in .tar, or new folder; default ID-SNP.tar here, of a register the folder",
      value: "FILE.tar|DIR",
    },
    key: { help: "private key file of sources keygen, to sign the manifest with", value: "FILE" },
    ...JSON_FLAG,
  },
  examples: ["sources export US_OFAC_SDN --data ./data --key ./lists.key --out ./sdn.tar"],
  async run(input) {
    const [id = ""] = input.operands
    const source = needSource(id)
    const isRegister = source.kind === "REGISTER"
    const wanted = input.text("snapshot") ?? null
    const key = input.text("key")
    const signer = key === undefined ? null : readMandateKey(key, "snapshots")
    const { engine, store, paths } = await openData(input)
    try {
      const kept = await store.read(() => snapshotsOnDisk(source.id))
      const row = kept.find(({ snapshotId, state }) => (wanted === null ? state === "ACTIVE" : snapshotId === wanted))
      if (!row) {
        throw new CommandError(EXIT.NOT_FOUND, `no ${wanted === null ? "active" : "such"} snapshot of ${id} is kept`)
      }
      const out = resolve(input.text("out") ?? `${source.id}-${row.snapshotId}${isRegister ? "" : ".tar"}`)
      // An archive is read into memory whole; a register is too large for that.
      if (isRegister && isTar(out)) throw new CommandError(EXIT.USAGE, `${id} is a register: --out must name a folder`)
      if (engine.isShared && !isHere(paths.snapshots, row)) {
        if (isRegister)
          throw new ExportRefused(`this machine has no ${row.snapshotId}: export it on the one that imported it`)
        await receiveSnapshot({ store, root: paths.snapshots }, row)
      }
      const exported = exportSnapshot(
        { root: paths.snapshots, row, licence: source.licence },
        out,
        signer,
        input.progress,
      )
      input.out(
        input.on("json")
          ? `${canonicalize(asJson(row, out, exported.signedBy))}\n`
          : forPeople(row, out, exported.signedBy),
      )
      return EXIT.DONE
    } catch (error) {
      throw asExportRefusal(error)
    } finally {
      await store.close()
    }
  },
}

function asExportRefusal(error: unknown): unknown {
  if (error instanceof ExportRefused || error instanceof NotReceived || error instanceof TarBroken)
    return new CommandError(EXIT.NOT_CHECKED, error.message)
  const fault = systemFault(error)
  if (fault === null) return error
  return new CommandError(isDenied(error) ? EXIT.DATA : EXIT.NOT_CHECKED, `not exported: ${fault}`)
}

function asJson(row: SnapshotRow, out: string, signedBy: string | null) {
  return {
    version: 1,
    file: out,
    source_id: row.sourceId,
    snapshot_id: row.snapshotId,
    source_version: row.sourceVersion,
    retrieved_at: row.retrievedAt,
    raw_sha256: row.rawSha256,
    signed_by: signedBy,
  }
}

function forPeople(row: SnapshotRow, out: string, signedBy: string | null): string {
  const by = signedBy === null ? "not signed" : `signed by ${signedBy}`
  return `exported  ${row.sourceId}  ${row.sourceVersion}  retrieved ${row.retrievedAt}\n  ${out}, ${by}\n  raw ${row.rawSha256}\n`
}
