/**
 * Counts the requests in flight by address. When many run, each address has a share of them and new addresses a reserve, so that no address
 * shuts others out.
 */
import { type Place, placeIn, reservedOf } from "../store/free-writes/share.ts"
import { sharedAddress } from "../store/free-writes/shared-address.ts"

/**
 * CHOICE: nobody is counted while less than half of the requests run. Counting takes time, and to a service that does not know its proxy all
 * callers have one address.
 */
const COUNTED_FROM_PART = 2

export interface InFlightMax {
  readonly inFlightMax: number
  /** Without a payment and without a recovery. */
  readonly unpaidInFlightMax: number
}

/** What is known of a request before it is handled. Both are called only while requests are counted. */
export interface Arriving {
  /** Rate-limit key. */
  readonly client: () => string
  readonly isOfBuyer: () => boolean
}

type Leave = () => void
export type Full = Extract<Place, "SHARE_USED_UP" | "ALL_USED_UP">

export class InFlight {
  /** Handlers that have not ended, also of callers who are gone: their units of work still wait for the database. */
  #running = 0
  readonly #unpaid: SharedCapacity
  /** CHOICE: anybody can send the header of a payment, so the part that is kept for buyers is divided too. */
  readonly #buyers: SharedCapacity

  constructor({ inFlightMax, unpaidInFlightMax }: InFlightMax) {
    const unpaidMax = Math.min(unpaidInFlightMax, inFlightMax)
    this.#unpaid = new SharedCapacity(unpaidMax)
    this.#buyers = new SharedCapacity(inFlightMax - unpaidMax)
  }

  /** `pending`: requests that the socket has, with this one. Returns what to call at the end of the request; null if it is not counted. */
  enter(pending: number, { client, isOfBuyer }: Arriving): Leave | Full | null {
    const used = Math.max(pending - 1, this.#running)
    if (used * COUNTED_FROM_PART < this.#unpaid.max) return null
    const address = sharedAddress(client())
    const entered = this.#unpaid.enter(address, used - this.#buyers.counted)
    if (typeof entered === "function" || !isOfBuyer()) return entered
    return this.#buyers.enter(address, this.#buyers.counted)
  }

  /** Counts the handler until it has ended. */
  run(handled: Promise<unknown>, leave: Leave | null): void {
    this.#running++
    const end = () => {
      this.#running--
      leave?.()
    }
    handled.then(end, end)
  }
}

class SharedCapacity {
  readonly #ofAddress = new Map<string, number>()
  #fromReserve = 0
  #counted = 0

  constructor(readonly max: number) {}

  get counted(): number {
    return this.#counted
  }

  /** `used`: requests in this part, also those that are not counted. */
  enter(address: string, used: number): Leave | Full {
    if (used >= this.max) return "ALL_USED_UP"
    const mine = this.#ofAddress.get(address) ?? 0
    const place = placeIn(
      {
        max: this.max,
        reserved: reservedOf(this.max),
        used,
        fromReserve: this.#fromReserve,
        mine,
        isNew: mine === 0,
      },
      1,
    )
    if (place !== "COMMON" && place !== "RESERVE") return place
    const ofReserve = place === "RESERVE" ? 1 : 0
    this.#ofAddress.set(address, mine + 1)
    this.#fromReserve += ofReserve
    this.#counted++
    return () => {
      const left = (this.#ofAddress.get(address) ?? 1) - 1
      if (left === 0) this.#ofAddress.delete(address)
      else this.#ofAddress.set(address, left)
      this.#fromReserve -= ofReserve
      this.#counted--
    }
  }
}
