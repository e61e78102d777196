// The canonical order of an object's members, remembered by their order in the object. The service reads and writes objects of some hundred
// forms, and to sort the names of one takes longer than to print it.

/** Above this size an object is sorted each time. */
const REMEMBERED_MEMBERS_MAX = 32
/** Callers choose the names of some members. Above this number of remembered names all are forgotten. */
export const REMEMBERED_NAMES_MAX = 20_000

interface MemberOrder {
  /** Sorted by UTF-16 units. */
  readonly names: readonly string[]
  /** Whether an object to which they are assigned in this order lists them in this order. */
  readonly isKept: boolean
}

/** The names that can follow a beginning of names. */
interface Beginning {
  readonly next: Map<string, Beginning>
  /** Of an object that ends here. */
  order: MemberOrder | null
}

export class MemberOrders {
  private root = emptyBeginning()
  private remembered = 0

  get size(): number {
    return this.remembered
  }

  /** `value` is a plain object. */
  of(value: object): MemberOrder {
    let beginning = this.root
    let count = 0
    for (const name in value) {
      if (++count > REMEMBERED_MEMBERS_MAX) return orderOf(value)
      beginning = beginning.next.get(name) ?? this.continued(beginning, name)
    }
    beginning.order ??= orderOf(value)
    return beginning.order
  }

  private continued(beginning: Beginning, name: string): Beginning {
    if (this.remembered >= REMEMBERED_NAMES_MAX) {
      this.root = emptyBeginning()
      this.remembered = 0
    }
    this.remembered++
    const longer = emptyBeginning()
    beginning.next.set(name, longer)
    return longer
  }
}

function emptyBeginning(): Beginning {
  return { next: new Map(), order: null }
}

/** An object lists names that are numbers before all others. Assigning `__proto__` adds no member. */
const NEVER_KEPT = /^(\d+|__proto__)$/

function orderOf(value: object): MemberOrder {
  // The default order of `sort` is that of UTF-16 units.
  const names = Object.keys(value).sort()
  return { names, isKept: !names.some((name) => NEVER_KEPT.test(name)) }
}
