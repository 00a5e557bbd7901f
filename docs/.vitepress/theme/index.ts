import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import DeliveryDiagram from './delivery-diagram.vue'
import Layout from './layout.vue'
import './style.css'

// biome-ignore lint/style/noDefaultExport: VitePress reads it
export default {
  extends: DefaultTheme,
  Layout,
  enhanceApp: ({ app }) => void app.component('DeliveryDiagram', DeliveryDiagram),
} satisfies Theme
