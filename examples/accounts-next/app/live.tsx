'use client'
import { useRouter } from 'next/navigation'
import { useEffect } from 'react'

/** Renders the page again every 5 seconds while it is visible. */
export function Live() {
  const { refresh } = useRouter()
  useEffect(() => {
    const timer = setInterval(() => document.hidden || refresh(), 5_000)
    return () => clearInterval(timer)
  }, [refresh])
  return null
}
