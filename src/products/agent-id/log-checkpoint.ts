import { checkpointNote, type LogKey } from "../../core/sign-checkpoint.ts"
import type { TreeHead } from "../../store/log/transparency-log.ts"

/** Caches the signed note of the newest head: all requests between two appends get the same signature. */
export class Checkpoints {
  private newest = { name: "", note: "" }

  constructor(
    private readonly origin: string,
    /** A function, because keys rotate. */
    private readonly key: () => LogKey,
  ) {}

  of({ size, rootHash }: TreeHead): string {
    const key = this.key()
    const name = `${key.keyId} ${size} ${Buffer.from(rootHash).toString("hex")}`
    if (this.newest.name !== name) {
      this.newest = { name, note: checkpointNote({ origin: this.origin, size, rootHash }, key) }
    }
    return this.newest.note
  }
}
