import type { Channel } from "../../schemas/agent-mode/channels.ts"
import { servedChannels } from "./conversation/sales/channels.ts"
import { type CatalogueLine, type CatalogueParts, catalogueLines } from "./conversation/sales/sales-catalogue.ts"

/** What the routes know of the served rows. They are complete only once every route is registered. */
export class ServedCatalogue {
  #known: Known | null = null

  constructor(readonly parts: CatalogueParts) {}

  get lines(): ReadonlyMap<string, CatalogueLine> {
    return this.#read().lines
  }

  get channels(): ReadonlySet<Channel> {
    return this.#read().channels
  }

  servesPath(path: string): boolean {
    return this.#read().paths.has(path)
  }

  #read(): Known {
    this.#known ??= knownOf(this.parts)
    return this.#known
  }
}

interface Known {
  readonly lines: ReadonlyMap<string, CatalogueLine>
  readonly channels: ReadonlySet<Channel>
  readonly paths: ReadonlySet<string>
}

function knownOf(parts: CatalogueParts): Known {
  const operations = parts.operations()
  return {
    lines: catalogueLines(parts),
    channels: servedChannels(operations, { jobs: parts.servesJobs(), mailbox: parts.hasMailbox() }),
    paths: new Set(operations.map(({ path }) => path)),
  }
}
