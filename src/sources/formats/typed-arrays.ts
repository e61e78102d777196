/** Passes records of typed arrays from one thread to another. */

type Numbers = Uint8Array | Uint16Array | Uint32Array | Float64Array

/** Returns a copy in shared memory. Every thread can read it at once, and sending it copies nothing. */
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

/** Returns the blocks of a record, each once, for a transfer to another thread. */
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
