/** Remembers which clients `prisma generate` has written, as each takes a second of a processor. */
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const CACHE = 'node_modules/.cache/model-cache/clients'

/** The client of a schema, in the folder that the schema names. All paths are relative to `root`. */
export class GeneratedClient {
  readonly #root: string
  readonly #schema: string

  constructor(root: string, schema: string) {
    this.#root = root
    this.#schema = schema
  }

  /** Whether schema, Prisma and files are those of the last call of {@link note}. */
  get isCurrent(): boolean {
    return existsSync(this.#stamp) && readFileSync(this.#stamp, 'utf8') === this.#digest()
  }

  /** Call it when the client has been generated. */
  note(): void {
    mkdirSync(dirname(this.#stamp), { recursive: true })
    writeFileSync(this.#stamp, this.#digest())
  }

  get #stamp(): string {
    return join(this.#root, CACHE, this.#schema.replaceAll('/', '.'))
  }

  #digest(): string {
    const schema = readFileSync(join(this.#root, this.#schema), 'utf8')
    const hash = createHash('sha256').update(this.#root).update(schema)
    for (const name of ['prisma', '@prisma/client'])
      hash.update(readFileSync(join(this.#root, 'node_modules', name, 'package.json')))
    const [, output] = /^\s*output\s*=\s*"(.*)"/m.exec(schema) ?? []
    const folder = output === undefined ? 'node_modules/.prisma/client' : join(dirname(this.#schema), output)
    const cwd = join(this.#root, folder)
    for (const file of globSync('**/*.*', { cwd }).toSorted()) {
      hash.update(file).update(readFileSync(join(cwd, file)))
    }
    return hash.digest('hex')
  }
}
