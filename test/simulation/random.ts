/** One number decides every draw of a run. Each subject draws from its own named stream, so that more draws of one never change another. */
import { hash } from "node:crypto"

export class Random {
  private a: number
  private b: number
  private c: number
  private counter: number

  /** The same `seed` always gives the same draws. */
  constructor(private readonly seed: string) {
    const digest = hash("sha256", seed, "buffer")
    this.a = digest.readUInt32LE(0)
    this.b = digest.readUInt32LE(4)
    this.c = digest.readUInt32LE(8)
    this.counter = 1
  }

  /** A stream that depends on this one's seed and on `name`, not on earlier draws. */
  stream(name: string): Random {
    return new Random(`${this.seed}/${name}`)
  }

  /** 32 bits of sfc32 (Chris Doty-Humphrey, PractRand). */
  bits(): number {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0
    this.counter = (this.counter + 1) | 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) | 0
    this.c = (this.c << 21) | (this.c >>> 11)
    this.c = (this.c + sum) | 0
    return sum >>> 0
  }

  /** At least 0 and below 1. */
  fraction(): number {
    return this.bits() / 0x1_0000_0000
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError("nothing to pick from")
    return items[Math.floor(this.fraction() * items.length)] as T
  }

  bytes(length: number): Uint8Array {
    const words = new Uint32Array(Math.ceil(length / 4))
    for (let i = 0; i < words.length; i++) words[i] = this.bits()
    return new Uint8Array(words.buffer, 0, length)
  }

  hex(bytes: number): `0x${string}` {
    return `0x${Buffer.from(this.bytes(bytes)).toString("hex")}`
  }
}
