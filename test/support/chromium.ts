import { chromium, type Browser } from 'playwright-core'
import { firstProgram, isExecutable, programOnPath } from './find-program.ts'
import { sparticuzChromium, type RunnableChromium } from './sparticuz-chromium.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

/** What keeps the browser from calling home: whatever a test sees on the network, a page did. */
const ALONE = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** For the hook that launches one, in milliseconds: it may have to be downloaded first. */
export const LAUNCH_TIMEOUT = 300_000

/** A real Chromium without a window; close it. Throws a message that says how to get one. */
export async function launchChromium(): Promise<Browser> {
  const { path, env } = await findChromium(process.env)
  const isRoot = process.getuid?.() === 0
  return chromium.launch({
    executablePath: path,
    env: { ...process.env, ...env },
    // Chromium does not start its sandbox as root, and containers often run tests as root.
    args: isRoot ? [...ALONE, '--no-sandbox'] : ALONE,
  })
}

/**
 * A Chromium to start: CHROMIUM_PATH, or else the one in the npm package `@sparticuz/chromium` (downloaded once), or else the first of
 * the usual names on PATH.
 */
export async function findChromium(
  { CHROMIUM_PATH, PATH = '' }: NodeJS.ProcessEnv,
  download: () => Promise<RunnableChromium> = sparticuzChromium,
): Promise<RunnableChromium> {
  if (CHROMIUM_PATH) {
    if (isExecutable(CHROMIUM_PATH)) return { path: CHROMIUM_PATH, env: {} }
    throw new Error(
      'CHROMIUM_PATH does not name a program. Correct it, or unset it to use the one that is downloaded.',
    )
  }
  const sources = [
    { origin: "npm's @sparticuz/chromium", find: download },
    { origin: 'PATH', find: async () => ({ path: programOnPath(NAMES, PATH), env: {} }) },
  ]
  const { path, env } = await firstProgram<RunnableChromium>(sources, ADVICE)
  return { path, env }
}

const ADVICE = [
  'No Chromium was found, and the tests of the page do not run without one. Any of these helps:',
  '- on linux-x64, have npm and tar, so that @sparticuz/chromium can be downloaded',
  '- install it: on Debian and Ubuntu, apt-get install chromium',
  `- put ${NAMES.join(' or ')} on PATH`,
  '- set CHROMIUM_PATH to the program',
]
