import { Module } from '@nestjs/common'
import { LivenessProber } from './liveness-prober.js'

@Module({ providers: [LivenessProber], exports: [LivenessProber] })
export class LivenessModule {}
