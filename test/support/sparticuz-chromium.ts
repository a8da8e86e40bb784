/**
 * The Chromium in the npm package `@sparticuz/chromium`, the same for every machine, with the shared libraries and the fonts that a
 * bare Linux lacks. It is no devDependency: it has 70 MB, and only the specs of pages need it.
 */
import { execFile } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createBrotliDecompress } from 'node:zlib'
import { fillOnce } from './fill-once.ts'
import { downloadPackage } from './npm-package.ts'

/** To move to another version: `npm view @sparticuz/chromium@X dist.integrity`. */
const VERSION = '153.0.0'
const INTEGRITY =
  'sha512-jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=='

const FOLDER = join(import.meta.dirname, `../../node_modules/.cache/model-cache/chromium-${VERSION}`)

/** Of the package: the browser, the libraries that it loads and a typeface. Without one, letters have no size. */
const PARTS = ['chromium.br', 'al2023.tar.br', 'fonts.tar.br']

/** The package's own configuration looks for its typeface in folders of a cloud. */
const FONTS_CONF = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir></fontconfig>
`

export interface RunnableChromium {
  path: string
  /** What it needs in its environment. */
  env: Record<string, string>
}

/** The package's Chromium, downloaded on the first call ever. Throws when it is unavailable. */
export async function sparticuzChromium({
  platform,
  arch,
}: Pick<NodeJS.Process, 'platform' | 'arch'> = process): Promise<RunnableChromium> {
  if (platform !== 'linux' || arch !== 'x64')
    throw new Error(`@sparticuz/chromium runs on linux-x64 only, and this is ${platform}-${arch}`)
  await fillOnce(FOLDER, download)
  return {
    path: join(FOLDER, 'chromium'),
    env: { LD_LIBRARY_PATH: join(FOLDER, 'lib'), FONTCONFIG_FILE: join(FOLDER, 'fonts.conf') },
  }
}

async function download(folder: string): Promise<void> {
  const spec = `@sparticuz/chromium@${VERSION}`
  const unpacked = await downloadPackage({ spec, integrity: INTEGRITY }, folder)
  await Promise.all(PARTS.map((part) => extract(join(unpacked, 'bin', part), folder)))
  await writeFile(join(folder, 'fonts.conf'), FONTS_CONF)
  await rm(unpacked, { recursive: true })
}

async function extract(compressed: string, folder: string): Promise<void> {
  const file = join(folder, basename(compressed, '.br'))
  const output = createWriteStream(file, { mode: 0o755 })
  await pipeline(createReadStream(compressed), createBrotliDecompress(), output)
  if (!file.endsWith('.tar')) return
  await promisify(execFile)('tar', ['-xf', file, '--no-same-owner', '-C', folder])
  await rm(file)
}
