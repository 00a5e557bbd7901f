import type { Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme-without-fonts'
import { defineAsyncComponent } from 'vue'
import DeliveryDiagram from './delivery-diagram.vue'
import Layout from './layout.vue'
import SectionTabs from './section-tabs.vue'
import './style.css'
import './home.css'

// biome-ignore lint/style/noDefaultExport: VitePress reads it
export default {
  extends: DefaultTheme,
  Layout,
  enhanceApp: ({ app }) => {
    app.component('DeliveryDiagram', DeliveryDiagram)
    app.component('SectionTabs', SectionTabs)
    // Not `SeeItWork`: the search renders the page see-it-work.md without components, and Vue would take the page for its own component.
    app.component(
      'LiveDemonstration',
      defineAsyncComponent(() => import('../see-it-work/see-it-work.vue')),
    )
  },
} satisfies Theme
