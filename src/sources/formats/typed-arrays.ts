/** Records of typed arrays, as one thread hands them to another. */

type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array

/** A copy whose numbers every thread can read at once: such a block is never copied again when it is sent. */
export function inSharedMemory<T extends object>(record: T): T {
  const copy = Object.entries(record).map(([key, value]) => [key, isNumbers(value) ? shared(value) : nested(value)])
  return Object.fromEntries(copy) as T
}

function nested(value: unknown): unknown {
  return typeof value === "object" && value !== null ? inSharedMemory(value) : value
}

function shared(numbers: Numbers): Numbers {
  const bytes = new SharedArrayBuffer(numbers.byteLength)
  new Uint8Array(bytes).set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength))
  return new (numbers.constructor as new (buffer: SharedArrayBuffer) => Numbers)(bytes)
}

/** The blocks of a record, each once, that are moved to the thread they are sent to. */
export function transferable(record: object): ArrayBuffer[] {
  const found = Object.values(record).flatMap((value: unknown) => {
    if (!isNumbers(value)) return typeof value === "object" && value !== null ? transferable(value) : []
    return value.buffer instanceof ArrayBuffer ? [value.buffer] : []
  })
  return [...new Set(found)]
}

function isNumbers(value: unknown): value is Numbers {
  return ArrayBuffer.isView(value) && !(value instanceof DataView)
}
