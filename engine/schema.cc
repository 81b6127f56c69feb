namespace plexus {}
