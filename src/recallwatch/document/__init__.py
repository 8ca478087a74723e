"""What people read of a result: one model of it (headline, sections, notes), its drawings, its numbers, the registry of outputs.

Stands under every room that has a result, so that each can hand out its document; what a document says is each room's own.
"""
