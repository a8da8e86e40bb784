import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

/** What keeps the browser from calling home: whatever a test sees on the network, a page did. */
const ALONE = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** A real Chromium without a window; close it. Throws a message that says how to get one. */
export function launchChromium(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0
  return chromium.launch({
    executablePath: findChromium(process.env),
    // Chromium refuses to be sandboxed for root, who is who runs tests in containers.
    args: isRoot ? [...ALONE, '--no-sandbox'] : ALONE,
  })
}

/** The path of a Chromium: CHROMIUM_PATH, or else the first of the usual names on PATH. */
export function findChromium({ CHROMIUM_PATH, PATH = '' }: NodeJS.ProcessEnv): string {
  if (CHROMIUM_PATH) {
    if (isExecutable(CHROMIUM_PATH)) return CHROMIUM_PATH
    throw new Error('CHROMIUM_PATH does not name a program. Correct it, or unset it to look on PATH.')
  }
  const folders = PATH.split(delimiter).filter(Boolean)
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
  if (found) return found
  throw new Error(
    [
      'No Chromium was found, and the tests of the page do not run without one. Any of these helps:',
      '- install it: on Debian and Ubuntu, apt-get install chromium',
      `- put ${NAMES.join(' or ')} on PATH`,
      '- set CHROMIUM_PATH to the program',
    ].join('\n'),
  )
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
