# The sources of storage/text, relative to storage/. Included by storage/CMakeLists.txt.
set(PLEXUS_STORAGE_TEXT_SOURCES
)
