import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common'
import type { ModulesContainer } from '@nestjs/core'
import type { BlockWatch, EventLoopPressure } from '@model-cache/event-loop'
import { type InspectedRoot, inspectedRoot } from 'model-cache/internal'
import { processReportOf } from './caches-report.js'
import { Events } from './events.js'
import type { Inspection } from './inspection.js'
import { LocalAnswers, type Question } from './local-answers.js'
import { ownPeer, type Peer, Peers } from './peers.js'
import { OwnFacts } from './process-facts.js'
import { type Permissions, ProcessInspection } from './process-inspection.js'
import { RecentSamples } from './recent-samples.js'
import type { ChartSample, ProcessReport } from './report.js'

/** Where the inspector looks. */
export interface InspectedApplication {
  readonly modules: ModulesContainer
  readonly pressure: EventLoopPressure
  readonly watch: BlockWatch
  /** Where it runs, for people; null if nobody says. */
  readonly environment: string | null
}

interface Started {
  readonly inspection: Inspection
  readonly own: OwnFacts
  readonly peers: Peers
  readonly recent: RecentSamples
}

/** Inspects the caches of an application once it has started, and answers the inspectors of other processes. */
export class Inspector implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #application: InspectedApplication
  readonly #permissions: Permissions
  readonly #events = new Events()
  #started: Started | undefined

  constructor(application: InspectedApplication, permissions: Permissions) {
    this.#application = application
    this.#permissions = permissions
  }

  /** Undefined until the application has started. */
  get inspection(): Inspection | undefined {
    return this.#started?.inspection
  }

  /** What this process says of itself, without asking others; undefined until the application has started. */
  async ownProcess(): Promise<ProcessReport | undefined> {
    const facts = await this.#started?.own.read()
    return facts && processReportOf(facts)
  }

  /** The last minute of this process, a sample every two seconds, the oldest first; empty until the application has started. */
  get ownSamples(): readonly ChartSample[] {
    return this.#started?.recent.samples ?? []
  }

  /** The caches are bound by now. */
  onApplicationBootstrap(): void {
    const { environment, modules, pressure, watch } = this.#application
    const roots = rootsIn(modules)
    // The unnamed one.
    const { messages, namespace } = roots[0]!
    const self = peerOf(modules)
    const own = new OwnFacts(self, roots, pressure, this.#events, environment)
    const recent = new RecentSamples(roots)
    const answers = new LocalAnswers(roots, own, recent)
    const peers = new Peers(self, namespace, messages, (question) => answers.answer(question as Question))
    const inspection = new ProcessInspection(roots, peers, this.#permissions)
    this.#events.start(watch)
    peers.start()
    own.start()
    recent.start()
    this.#started = { inspection, own, peers, recent }
  }

  /** Before the store is closed. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#events.stop()
    this.#started?.own.stop()
    this.#started?.recent.stop()
    await this.#started?.peers.stop()
  }
}

const peers = new WeakMap<ModulesContainer, Peer>()

/** One for all inspectors of an application: what it counts would be added several times otherwise. */
function peerOf(modules: ModulesContainer): Peer {
  const peer = peers.get(modules) ?? ownPeer()
  peers.set(modules, peer)
  return peer
}

/** What there is to see of all roots of an application, the unnamed one first. */
export function rootsIn(modules: ModulesContainer): readonly InspectedRoot[] {
  const instances = [...modules.values()].flatMap(({ providers }) =>
    [...providers.values()].map(({ instance }): unknown => instance),
  )
  return [...new Set(instances.filter(hasRoot))]
    .map((provider) => provider[inspectedRoot])
    .toSorted((a, b) => (a.name ?? '').localeCompare(b.name ?? ''))
}

function hasRoot(instance: unknown): instance is { readonly [inspectedRoot]: InspectedRoot } {
  return typeof instance === 'object' && instance !== null && inspectedRoot in instance
}
