import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import DeliveryDiagram from './delivery-diagram.vue'
import './style.css'

// biome-ignore lint/style/noDefaultExport: VitePress reads it
export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => void app.component('DeliveryDiagram', DeliveryDiagram),
} satisfies Theme
